// Rounds of search for a site's own requests [S98].
#include "sitemgr/home_search.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::home_search_test {
namespace {

struct Stage : PartsStage {
  HomeSearch part{{}};
  Stage() {
    for (const std::size_t n : {north_place, south_place}) parts.neighbours.hear(n, {HintEntry{100, 100}});
  }
  /// A pass: which neighbours are asked for which jobs, and which jobs pause, in order.
  struct Sent {
    std::vector<std::pair<std::uint64_t, std::size_t>> asked;
    std::vector<std::uint64_t> paused;
  };
  Sent pass() {
    Sent sent;
    const HomeSearch::Site site = parts.search_site();
    if (!part.begin(parts.queue, site, parts.targets)) return sent;
    for (;;) {
      HomeSearch::Next next = part.next(now, parts.queue, site, parts.targets);
      if (auto* paused = std::get_if<HomeSearch::Paused>(&next)) {
        sent.paused.push_back(paused->request.request.id.job);
      } else if (auto* found = std::get_if<HomeSearch::Found>(&next)) {
        sent.asked.emplace_back(found->request.request.id.job, found->target);
        parts.targets.sent(found->target, found->request.kind->widest);
        const Delegate delegate = part.ask(now, *found, parts.queue, site, {});
        CHECK(delegate.dttl == 3);
      } else {
        return sent;
      }
    }
  }
  /// The neighbour that was asked for the request rejects it.
  void reject(LocalRequest& request) {
    parts.targets.back(request.target, request.kind->widest);
    parts.queue.set_search(request, LocalRequest::Search::ready);
  }
};

TEST_CASE(
    "home search: requests that can't start here go out, in order, one neighbour after another, then pause") {
  Stage stage;
  LocalRequest& request = stage.add(4);
  const Stage::Sent first = stage.pass();
  REQUIRE(first.asked.size() == 1);
  CHECK(request.search == LocalRequest::Search::out);
  CHECK(stage.pass().asked.empty());
  stage.reject(request);
  const Stage::Sent second = stage.pass();
  REQUIRE(second.asked.size() == 1);
  CHECK(second.asked[0].second != first.asked[0].second);
  stage.reject(request);
  CHECK(stage.pass().paused == std::vector{request.request.id.job});
  CHECK(request.search == LocalRequest::Search::pausing);
  const Duration pause = request.resume_at - stage.now, most = stage.parts.settings.pause_first * 5 / 4;
  CHECK(pause >= stage.parts.settings.pause_first * 3 / 4);
  CHECK(pause <= most);
  HomeSearch::begin_round(request, stage.parts.settings);
  CHECK(request.round == 2);
  CHECK(request.asks == 0);
}

TEST_CASE("home search: a request stays ready, without a pause, while no neighbour may have room for it") {
  Stage stage;
  LocalRequest& request = stage.add(200);
  const Stage::Sent sent = stage.pass();
  CHECK(sent.asked.empty());
  CHECK(sent.paused.empty());
  CHECK(request.search == LocalRequest::Search::ready);
}

TEST_CASE("home search: no neighbour is asked for all of a request with components that name sites [S76]") {
  Stage stage;
  LocalRequest& request = stage.add(4);
  request.kind->aimed = true;
  CHECK(stage.pass().asked.empty());
  CHECK(request.search == LocalRequest::Search::ready);
  LocalRequest& other = stage.add(8);
  CHECK(stage.pass().asked.size() == 1);
  CHECK(other.search == LocalRequest::Search::out);
}

TEST_CASE("home search: what could start here stays, unless nothing new starts here") {
  Stage stage;
  stage.offer(8);
  stage.add(4);
  CHECK(stage.pass().asked.empty());
  stage.parts.drains.drain(SiteName("home"));
  CHECK(stage.pass().asked.size() == 1);
}

TEST_CASE("home search: below the load threshold what this site could serve waits here") {
  Stage stage;
  stage.offer(8);
  stage.parts.settings.delegation_threshold = 2;
  stage.parts.settings.keep_local = false;
  stage.add(4);
  CHECK(stage.pass().asked.empty());
  stage.add(8);
  stage.add(8);
  CHECK_FALSE(stage.pass().asked.empty());
}

TEST_CASE("home search: nothing is looked at twice while nothing changed") {
  Stage stage;
  LocalRequest& request = stage.add(200);  // wider than any neighbour's hint
  const auto begins = [&] {
    return stage.part.begin(stage.parts.queue, stage.parts.search_site(), stage.parts.targets);
  };
  CHECK(begins());
  CHECK_FALSE(begins());
  SUBCASE("another request is ready") { stage.add(4); }
  SUBCASE("a pause is over") {
    request.resume_at = stage.now;
    stage.parts.queue.set_search(request, LocalRequest::Search::pausing);
    CHECK_FALSE(begins());
    stage.parts.queue.set_search(request, LocalRequest::Search::ready);
  }
  SUBCASE("a neighbour's window opened") { stage.parts.targets.granted(north_place, 8); }
  SUBCASE("a delegation came back") {
    stage.parts.targets.sent(north_place, 4);
    CHECK_FALSE(begins());
    stage.parts.targets.back(north_place, 4);
  }
  SUBCASE("a neighbour takes messages again") { stage.parts.targets.set_pressed(north_place, false); }
  SUBCASE("a neighbour has more") { stage.parts.neighbours.hear(north_place, {HintEntry{200, 200}}); }
  SUBCASE("another cluster's size is known") { stage.offer(8); }
  SUBCASE("more can be had beyond a neighbour") {
    stage.parts.feasibility.hear(north_place, Reach{{ReachEntry{true, {}}}});
  }
  CHECK(begins());
  CHECK_FALSE(begins());
}

TEST_CASE("home search: what was kept here goes out when less is free than at the last pass") {
  Stage stage;
  stage.offer(8);
  stage.add(4);
  CHECK(stage.pass().asked.empty());
  std::vector<NodeGroup> taken;
  stage.parts.owned.take(0, 2, {}, 0, taken);
  CHECK(stage.pass().asked.empty());
  stage.parts.owned.take(0, 6, {}, 0, taken);
  CHECK(stage.pass().asked.size() == 1);
}

TEST_CASE("home search: each stay of a request has a name of its own") {
  HomeSearch part{{}};
  const RequestId request{SiteName("home"), "alice", 1, 1};
  CHECK(part.new_stay(request, 1) != part.new_stay(request, 1));
}

}  // namespace
}  // namespace dmm::home_search_test
