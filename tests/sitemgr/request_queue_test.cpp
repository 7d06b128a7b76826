// The queue's indices, compared with walks over all waiting requests.
#include "sitemgr/request_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "matchmaking/policy.hpp"
#include "sitemgr/class_sweep.hpp"
#include "sitemgr/settings.hpp"

namespace request_queue_test {

using namespace dmm;

namespace {

using Search = LocalRequest::Search;

ResourceNeed need_of(std::uint32_t processors, std::uint64_t memory = 0) {
  ResourceNeed need;
  need.components.push_back({processors, {}, {}});
  need.constraints.edit().memory_bytes = memory;
  return need;
}

struct Stage {
  RequestQueue queue;
  std::vector<LocalRequest*> waiting;
  std::uint64_t jobs = 0;

  explicit Stage(const DispatchPolicy& dispatch = dispatch_fcfs_scan)
      : queue(dispatch, *find_delegation("fcfs"), 1) {}
  LocalRequest& add(const ResourceNeed& need, std::uint32_t dttl = 1, Duration length = {},
                    std::int32_t priority = 0) {
    bool is_new = false;
    RequestClass& kind = queue.class_of(need, dttl, is_new);
    if (is_new) queue.classify(kind, true, true, 1);
    LocalRequest request;
    request.request.id = {SiteName("home"), "alice", ++jobs, 1};
    request.request.length = length;
    request.request.priority = priority;
    request.arrival = jobs;
    LocalRequest& added = queue.add(std::move(request), kind);
    waiting.push_back(&added);
    return added;
  }
  void erase(LocalRequest& request) {
    std::erase(waiting, &request);
    queue.erase(request);
  }
  template <class Suits>
  LocalRequest* first(Suits suits) const {
    LocalRequest* found = nullptr;
    for (LocalRequest* one : waiting)
      if (suits(*one) && (!found || queue.dispatch_key(*one) < queue.dispatch_key(*found))) found = one;
    return found;
  }
};

}  // namespace

TEST_CASE("request queue: a pass finds in order what a walk over all that waits would find") {
  for (const auto* dispatch :
       {&dispatch_fcfs_scan, &dispatch_smallest_first, &dispatch_largest_first, &dispatch_priority}) {
    std::mt19937 random(7);
    const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
    Stage stage(*dispatch);
    ClassSweep sweep;
    for (int pass = 0; pass < 60; ++pass) {
      for (int i = 0; i < 40; ++i) {
        LocalRequest& added = stage.add(need_of(1 + up_to(up_to(1) ? 20 : 400), up_to(3)), up_to(2), {},
                                        static_cast<std::int32_t>(up_to(4)));
        if (up_to(9) == 0) stage.queue.classify(*added.kind, false, false, 0);
      }
      std::uint32_t idle = 1 + up_to(500);
      sweep.begin(stage.queue.fitting());
      std::set<const RequestClass*> misfits;
      for (;;) {
        LocalRequest* wanted = stage.first([&](const LocalRequest& one) {
          return one.kind->servable && one.kind->widest <= idle && !misfits.contains(one.kind);
        });
        LocalRequest* found = sweep.first_fitting(stage.queue.fitting(), idle);
        REQUIRE(found == wanted);
        if (!found) break;
        if (up_to(3) == 0) {
          misfits.insert(found->kind);
          sweep.set_misfit(*found->kind);
          continue;
        }
        idle -= found->kind->widest;
        stage.erase(*found);
      }
      CHECK_FALSE(sweep.is_unfinished());
    }
    CHECK(stage.queue.size() > 100);
  }
}

TEST_CASE("request queue: a pass over very many classes stops and goes on, and looks at each of them") {
  Stage stage;
  ClassSweep sweep;
  for (std::uint64_t memory = 1; memory <= 10'000; ++memory) stage.add(need_of(1, memory));
  sweep.begin(stage.queue.fitting());
  std::set<const RequestClass*> seen;
  int steps = 1;
  for (;; ++steps, sweep.go_on(stage.queue.fitting())) {
    while (LocalRequest* found = sweep.first_fitting(stage.queue.fitting(), 8)) {
      CHECK(seen.insert(found->kind).second);
      sweep.set_misfit(*found->kind);
    }
    if (!sweep.is_unfinished()) break;
    REQUIRE(steps < 20);
  }
  CHECK(seen.size() == 10'000);
  CHECK(steps == 10);
}

TEST_CASE("request queue: a lease serves the first that fits on it, is near enough and short enough") {
  std::mt19937 random(8);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  Stage stage;
  for (int turn = 0; turn < 300; ++turn) {
    stage.add(need_of(1 + up_to(40), up_to(1)), up_to(3), seconds(up_to(5)));
    const std::uint32_t processors = 1 + up_to(40), hops = up_to(3);
    const Duration length = beyond_declared + seconds(1 + up_to(5)), unsaid = seconds(2 + up_to(120));
    LocalRequest* wanted = stage.first([&](const LocalRequest& one) {
      const Duration said = one.request.length;
      return one.kind->simple && one.kind->widest <= processors && one.kind->dttl >= hops &&
             (said > Duration{} ? said + beyond_declared : unsaid) <= length;
    });
    REQUIRE(stage.queue.first_for_lease(processors, hops, length, unsaid) == wanted);
    if (wanted && up_to(2) == 0) stage.erase(*wanted);
  }
}

TEST_CASE("request queue: a hint wakes the first to arrive of those that fit") {
  std::mt19937 random(9);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  Stage stage;
  for (int turn = 0; turn < 500; ++turn) {
    LocalRequest& added = stage.add(need_of(1 + up_to(up_to(1) ? 20 : 400)));
    if (up_to(2) > 0) stage.queue.set_search(added, Search::pausing);
    const std::uint32_t most = 1 + up_to(400);
    const std::uint64_t after = up_to(1) ? 0 : up_to(static_cast<std::uint32_t>(stage.jobs));
    LocalRequest* wanted = stage.first([&](const LocalRequest& one) {
      return one.search == Search::pausing && one.kind->widest <= most && one.arrival > after;
    });
    REQUIRE(stage.queue.first_pausing(most, after) == wanted);
  }
}

TEST_CASE("request queue: what users wait for is summed up in few claims, however many needs there are") {
  Stage stage;
  std::vector<LocalRequest*> added;
  for (std::uint64_t memory = 1; memory <= 1'000; ++memory)
    for (int i = 0; i < 2; ++i) added.push_back(&stage.add(need_of(3, memory)));
  const auto sum = [&] {
    std::uint64_t all = 0;
    for (const auto& [claim, processors] : stage.queue.totals().claims()) all += processors;
    return all;
  };
  CHECK(stage.queue.totals().claims().size() <= 100);
  CHECK(sum() == 6'000);
  CHECK(stage.queue.totals().claims().contains(LocalClaim{{}, ~std::uint64_t{0}}));
  stage.queue.classify(*added[0]->kind, false, false, 0);
  CHECK(sum() == 5'994);
  stage.queue.classify(*added[0]->kind, true, true, 2);
  CHECK(sum() == 6'000);
  for (LocalRequest* one : added) stage.erase(*one);
  CHECK(stage.queue.totals().claims().empty());
}

TEST_CASE("request queue: what a placement may put here is demand, though it starts no request by itself") {
  Stage stage;
  LocalRequest& placed = stage.add(need_of(3, 0));
  stage.add(need_of(2, 0));
  stage.queue.classify(*placed.kind, true, false, 1);
  const QueueTotals& totals = stage.queue.totals();
  CHECK(totals.demand() == 5);
  CHECK(totals.demand_here() == 5);
  CHECK(totals.borrowing(false) == 3);
  stage.queue.set_search(placed, Search::gathering);
  CHECK(totals.demand() == 5);
  CHECK(totals.demand_here() == 2);
  stage.queue.set_search(placed, Search::ready);
  stage.queue.classify(*placed.kind, false, false, 1);
  CHECK(totals.demand() == 2);
  stage.queue.classify(*placed.kind, true, true, 1);
  CHECK(totals.demand_here() == 5);
  stage.erase(placed);
  CHECK(totals.demand() == 2);
}

}  // namespace request_queue_test
