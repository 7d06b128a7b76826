// When nodes that swallow jobs are set aside, and when they may be tried again.
#include <doctest/doctest.h>

#include "resmgr/black_holes.hpp"

namespace dmm::black_holes_test {
namespace {

/// A job of a user; only the number matters.
RequestId job(std::uint64_t user, std::uint64_t number = 1) {
  return {SiteName{"das-2"}, "user-" + std::to_string(user), number, 1};
}

constexpr Instant start{1'000'000};

/// Jobs of users from `first` fail on the nodes.
void fail(BlackHoles& holes, Instant now, const NodeSet& nodes, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t number = first; number <= last; ++number) holes.failed(now, nodes, job(number), "lost");
}

}  // namespace

TEST_CASE("black holes: counted is by node, and by different users") {
  BlackHoles holes(3, seconds(600));
  holes.failed(start, {{0, 2}}, job(1), "lost");
  holes.failed(start, {{0, 2}}, job(1, 2), "lost");
  holes.failed(start, {{1, 1}}, job(2), "lost");
  CHECK(holes.take_news().empty());
  CHECK(holes.take_changed() == std::set<std::uint32_t>{0, 1, 2});
  holes.failed(start, {{0, 1}}, job(3), "disk full");
  const auto news = holes.take_news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].nodes == NodeSet{{1, 1}});
  CHECK(news[0].text == "lost or could not start jobs of 3 different users in a row, the last: disk full");
  CHECK(holes.take_news().empty());
  CHECK(holes.aside().size() == 1);
  CHECK(holes.next_back() == start + seconds(600));
}

TEST_CASE("black holes: a program that ran clears its nodes") {
  BlackHoles holes(3, seconds(600));
  fail(holes, start, {{0, 1}}, 1, 2);
  holes.ran({{1, 5}});
  fail(holes, start, {{0, 1}}, 3, 3);
  CHECK(holes.take_news().at(0).nodes == NodeSet{{0, 0}});
  holes.ran({{0, 0}});  // it ran there already, and ended well
  const auto news = holes.take_news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].back);
  CHECK(news[0].nodes == NodeSet{{0, 0}});
  CHECK(holes.find(0) == nullptr);
  CHECK(holes.next_back() == never);
}

TEST_CASE("black holes: a node that comes back is on probation, and each pause is twice the last, up to a day") {
  BlackHoles holes(3, seconds(600));
  fail(holes, start, {{4, 4}}, 1, 3);
  fail(holes, start, {{4, 4}}, 4, 9);  // jobs that ran there already
  Instant now = start;
  for (const std::int64_t pause : {600, 1200, 2400, 4800, 9600, 19200, 38400, 76800, 86400, 86400}) {
    CAPTURE(pause);
    CHECK(holes.next_back() == now + seconds(pause));
    now = holes.next_back();
    holes.bring_back(now);
    CHECK(holes.take_news().at(0).back);
    CHECK(holes.aside().empty());
    fail(holes, now, {{4, 4}}, 3, 3);
    CHECK_FALSE(holes.take_news().at(0).back);
  }
}

TEST_CASE("black holes: what is held against a node survives a restart") {
  BlackHoles before(2, seconds(600));
  fail(before, start, {{0, 1}}, 1, 1);
  fail(before, start, {{0, 0}}, 2, 2);
  BlackHoles holes(2, seconds(600));
  for (const auto& [node, suspect] : before.all()) holes.restore(node, suspect);
  CHECK(holes.aside().at(0).nodes == NodeSet{{0, 0}});
  CHECK(holes.take_changed().empty());
  fail(holes, start, {{1, 1}}, 2, 2);
  CHECK(holes.aside().at(0).nodes == NodeSet{{0, 1}});
}

TEST_CASE("black holes: of a ledger that has jobs their users are counted") {
  BlackHoles holes(2, seconds(600));
  holes.restore(0, Suspect{{job(1, 1), job(1, 2)}, {}, never, {}});
  holes.failed(start, {{0, 0}}, job(1, 3), "lost");
  CHECK(holes.aside().empty());
  holes.failed(start, {{0, 0}}, job(2), "lost");
  CHECK(holes.aside().size() == 1);
}

TEST_CASE("black holes: a user that is there each time is to blame for keepers' deaths, else the machine is") {
  BlackHoles holes(3, seconds(600));
  const auto dies = [&](const std::vector<RequestId>& jobs) { holes.keeper_died(start, {{0, 3}}, jobs); };
  for (std::uint64_t death = 1; death <= 5; ++death) dies({job(9, death), job(death)});
  CHECK(holes.aside().empty());
  dies({job(6)});  // of the last three deaths, user 9 was present at two
  CHECK(holes.aside().size() == 1);
  CHECK(holes.find(0)->users.empty());  // the nodes themselves aren't blamed
}

TEST_CASE("black holes: never, if so configured") {
  BlackHoles holes(0, seconds(600));
  fail(holes, start, {{0, 1}}, 1, 100);
  for (std::uint64_t death = 1; death <= 5; ++death) holes.keeper_died(start, {{0, 1}}, {job(death)});
  CHECK(holes.all().empty());
}

}  // namespace dmm::black_holes_test
