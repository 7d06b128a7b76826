// Which waiting requests start, in what order, and which make others wait [S95].
#include "sitemgr/matcher.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::matcher_test {
namespace {

/// Takes nodes for each match, as the site manager does.
struct Pass {
  PartsStage& stage;
  Matcher& part;
  bool is_drained = false;

  std::vector<std::uint64_t> run() {
    std::vector<std::uint64_t> started;
    const Matcher::Site site{stage.parts.settings, stage.parts.owned, stage.parts.placer, stage.parts.reservation,
                             is_drained};
    part.begin(stage.parts.queue, site);
    while (auto match = part.next(stage.now, stage.parts.queue, site)) {
      started.push_back(match->request.request.id.job);
      std::vector<NodeGroup> taken;
      for (const PlacedComponent& placed : match->placement)
        stage.parts.owned.take(placed.cluster, placed.processors, {}, placed.component, taken);
      stage.parts.queue.erase(match->request);
      part.placed(stage.now, stage.parts.queue);
      if (match->is_reserved) stage.parts.reservation.drop();
    }
    return started;
  }
};

std::uint64_t add(PartsStage& stage, Matcher& part, std::uint32_t processors) {
  const RequestId id = stage.add(processors).request.id;
  part.add(id);
  return id.job;
}

using Jobs = std::vector<std::uint64_t>;

TEST_CASE("matcher: requests that fit start in order; with a scan later ones pass those that don't") {
  PartsStage stage;
  stage.offer(8);
  Matcher part(dispatch_fcfs_scan, {});
  Pass pass{stage, part};
  const std::uint64_t first = add(stage, part, 5), wide = add(stage, part, 6), small = add(stage, part, 2);
  CHECK(pass.run() == Jobs{first, small});
  CHECK(stage.parts.queue.head()->request.id.job == wide);
  CHECK(stage.parts.queue.head()->overtaken == stage.now);
  CHECK(part.has_matched(stage.parts.queue, stage.parts.owned, stage.parts.reservation));
  CHECK(pass.run().empty());
  const std::uint64_t one = add(stage, part, 1);
  CHECK_FALSE(part.has_matched(stage.parts.queue, stage.parts.owned, stage.parts.reservation));
  CHECK(pass.run() == Jobs{one});
  CHECK(part.started() == 3);
}

TEST_CASE("matcher: a strict policy lets no request pass one that waits, but for one that is out") {
  PartsStage stage;
  stage.offer(8);
  Matcher part(dispatch_fcfs, {});
  Pass pass{stage, part};
  const std::uint64_t wide = add(stage, part, 9), small = add(stage, part, 2);
  CHECK(pass.run().empty());
  CHECK(part.is_blocked());
  CHECK_FALSE(part.makes_way(stage.parts.queue));
  LocalRequest& head = *stage.parts.queue.head();
  REQUIRE(head.request.id.job == wide);
  SUBCASE("it goes out") {
    head.target = north_place;
    head.answer_by = never;
    stage.parts.queue.set_search(head, LocalRequest::Search::out);
  }
  SUBCASE("it is gone") { stage.parts.queue.erase(head); }
  CHECK(part.makes_way(stage.parts.queue));
  CHECK(pass.run() == Jobs{small});
}

TEST_CASE("matcher: a request that was overtaken for too long holds the others back") {
  PartsStage stage;
  stage.offer(8);
  Matcher part(dispatch_fcfs_scan, {});
  Pass pass{stage, part};
  const std::uint64_t wide = add(stage, part, 9), small = add(stage, part, 1);
  CHECK(pass.run() == Jobs{small});
  CHECK_FALSE(part.take_overtaken());
  stage.now = stage.now + stage.parts.settings.overtaken_limit;
  const std::uint64_t late = add(stage, part, 1);
  CHECK(pass.run().empty());
  CHECK(part.is_blocked());
  CHECK(part.take_overtaken()->job == wide);
  add(stage, part, 1);
  CHECK(pass.run().empty());
  CHECK_FALSE(part.take_overtaken());  // it was told
  CHECK(late != wide);
}

TEST_CASE("matcher: what is reserved is for its request alone, which comes first") {
  PartsStage stage;
  stage.offer(4);
  Matcher part(dispatch_fcfs_scan, {});
  Pass pass{stage, part};
  const std::uint64_t other = add(stage, part, 2), reserved = add(stage, part, 3);
  stage.parts.reservation.reserve({{SiteName("home"), "alice", reserved, 1}, {3}, never});
  CHECK(pass.run() == Jobs{reserved});
  CHECK_FALSE(stage.parts.reservation.held());
  CHECK(stage.parts.queue.head()->request.id.job == other);
}

TEST_CASE("matcher: a drained site starts nothing") {
  PartsStage stage;
  stage.offer(8);
  Matcher part(dispatch_fcfs_scan, {});
  Pass pass{stage, part, true};
  add(stage, part, 1);
  CHECK(pass.run().empty());
  pass.is_drained = false;
  CHECK(pass.run().size() == 1);
}

TEST_CASE("matcher: a step starts a thousand requests, and the next goes on") {
  PartsStage stage;
  stage.offer(3000);
  Matcher part(dispatch_fcfs_scan, {});
  Pass pass{stage, part};
  for (int i = 0; i < 1500; ++i) add(stage, part, 1);
  CHECK(pass.run().size() == 1000);
  CHECK(part.is_matching());
  CHECK(part.is_due(stage.now));
  CHECK(pass.run().size() == 500);
  CHECK_FALSE(part.is_matching());
}

TEST_CASE("matcher: with a cycle passes are made at its instants, while requests wait") {
  Matcher part(dispatch_fcfs, seconds(300));
  CHECK(part.next_deadline() == never);
  part.want(parts_start, true);
  const Instant due = part.next_deadline();
  CHECK(due == Instant{seconds(1200).microseconds});
  CHECK_FALSE(part.is_due(due - microseconds(1)));
  CHECK(part.is_due(due));
  part.want(due, false);
  CHECK(part.next_deadline() == never);
}

}  // namespace
}  // namespace dmm::matcher_test
