// The schedulers of one cluster against schedules worked out by hand: first come, first served; EASY and conservative
// backfilling. Then the index of waiting jobs and the plan below them.
#include <doctest/doctest.h>

#include "architectures_stage.hpp"
#include "simulator/architectures/profile.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace architectures_cluster_test {

using namespace dmm;
using namespace dmm::stage;

using Starts = std::vector<double>;

namespace {

Starts starts(const std::string& architecture, std::uint32_t processors, const std::vector<Row>& rows) {
  return play(architecture, {processors}, jobs_of(rows)).starts();
}

Instant at(double seconds_from_start) { return Instant{} + from_seconds(seconds_from_start); }

}  // namespace

TEST_CASE("fcfs: the head of the queue keeps all behind it waiting") {
  // submit, run, processors
  const std::vector<Row> rows = {
      {0, 100, 8},  // starts at once
      {1, 50, 8},   // at 100, when the first ends
      {2, 200, 2},  // would fit at once; at 100, after the second
      {3, 10, 1},   // at 150, when the second ends
  };
  CHECK(starts("fcfs", 10, rows) == Starts{0, 100, 100, 150});
}

TEST_CASE("fcfs: an end at the instant of an arrival makes room for it") {
  CHECK(starts("fcfs", 4, {{0, 10, 4}, {10, 10, 4}}) == Starts{0, 10});
}

TEST_CASE("easy: a job may take what the head leaves over, however long it runs") {
  const std::vector<Row> rows = {
      {0, 100, 8},  // at once
      {1, 50, 8},   // at 100 (shadow time); 10 - 8 = 2 extra processors
      {2, 200, 2},  // takes the 2 extra ones at once
      {3, 10, 1},   // none idle until 150
  };
  CHECK(starts("easy", 10, rows) == Starts{0, 100, 2, 150});
}

TEST_CASE("easy: a job may end at the shadow time, not after it") {
  const std::vector<Row> exactly = {{0, 100, 8}, {1, 50, 10}, {2, 98, 2}};
  CHECK(starts("easy", 10, exactly) == Starts{0, 100, 2});
  const std::vector<Row> too_long = {{0, 100, 8}, {1, 50, 10}, {2, 98, 2, 99}};  // by its estimate
  CHECK(starts("easy", 10, too_long) == Starts{0, 100, 150});
}

TEST_CASE("easy: an early end moves the head forward") {
  const std::vector<Row> rows = {
      {0, 30, 8, 100},  // expected until 100, ends at 30
      {1, 50, 10},      // promised 100, at 72 when the third has ended
      {2, 70, 2},       // may: 72 is before 100
      {40, 10, 8, 32},  // at 40: idle 8, shadow time 72, expected end 72
  };
  CHECK(starts("easy", 10, rows) == Starts{0, 72, 2, 40});
}

TEST_CASE("easy: a job that outruns its estimate is expected to end at once, and nothing is killed") {
  const std::vector<Row> rows = {
      {0, 100, 8, 10},  // overdue from 10 on
      {1, 10, 10},
      {20, 5, 2},  // shadow time is now, and nothing is extra: waits
  };
  CHECK(starts("easy", 10, rows) == Starts{0, 100, 110});
}

TEST_CASE("easy: a second waiting job may be delayed, which conservative never does") {
  const std::vector<Row> rows = {
      {0, 100, 6},  // at once
      {1, 100, 8},  // the head: at 100, leaving 2
      {2, 10, 10},  // could start at 200
      {3, 250, 2},  // fits at once beside the head, but runs until 253
  };
  CHECK(starts("easy", 10, rows) == Starts{0, 100, 253, 3});
  CHECK(starts("conservative", 10, rows) == Starts{0, 100, 200, 210});
}

TEST_CASE("conservative: an early end moves all forward that find room, in the order of arrival") {
  const std::vector<Row> rows = {
      {0, 50, 8, 100},  // expected until 100, ends at 50
      {1, 20, 10},      // promised 100; the third runs until 100, so it stays
      {2, 98, 2},       // fits before it
      {3, 10, 1},       // promised 120; at 50 there is a hole of 8 until 100
      {4, 40, 7},       // promised 120 as well (1 + 7 <= 10), moves into the same hole
      {5, 50, 1},       // the hole is full: until 60; then there is room beside the fourth, but only until 100
  };
  CHECK(starts("conservative", 10, rows) == Starts{0, 100, 2, 50, 50, 120});
}

TEST_CASE("conservative: a job that will outrun its estimate is planned with its run time") {
  CHECK(starts("conservative", 10, {{0, 100, 8, 10}, {1, 10, 10}, {20, 5, 2}}) == Starts{0, 100, 20});
}

TEST_CASE("every architecture: a job that is wider than its cluster fails at once") {
  for (const auto& name : {"fcfs", "easy", "conservative", "no-sharing", "condor"}) {
    CAPTURE(name);
    const Played played = play(name, {4}, jobs_of({{0, 10, 5}, {0, 10, 4}}));
    CHECK(played.starts() == Starts{-1, 0});
    CHECK(played.fates.at(1).outcome.state == JobOutcome::State::failed);
    CHECK(played.fates.at(2).outcome.state == JobOutcome::State::finished);
  }
}

TEST_CASE("every architecture: without the cool-down phase all stops at the last arrival") {
  SimulationOptions options;
  options.cool_down = false;
  const Played played = play("fcfs", {4}, jobs_of({{0, 10, 4}, {1, 20, 4}, {2, 5, 4}, {10, 1, 1}}), options);
  CHECK(played.starts() == Starts{0, 10, -1, -1});  // the end at 10 and the start after it are at the same instant
  CHECK(played.fates.at(1).outcome.state == JobOutcome::State::finished);
  CHECK(played.fates.at(2).outcome.state == JobOutcome::State::unfinished);
  CHECK(played.fates.at(3).outcome.state == JobOutcome::State::unfinished);
  CHECK(played.totals.ended == at(10));
}

TEST_CASE("waiting jobs: they are found in the order of arrival") {
  WaitingQueue queue;
  CHECK(queue.empty());
  CHECK(queue.first_fit(0, 100) == WaitingQueue::none);
  const std::vector<StreamJob> jobs = jobs_of({{0, 10, 5}, {0, 20, 3}, {0, 30, 7}, {0, 40, 2}});
  for (const StreamJob& job : jobs) queue.push(job);
  CHECK(queue.narrowest() == 2);
  CHECK(queue.at(queue.front()).number == 1);
  CHECK(queue.at(queue.first_fit(0, 4)).number == 2);
  CHECK(queue.at(queue.first_fit(queue.first_fit(0, 4) + 1, 4)).number == 4);
  CHECK(queue.first_fit(0, 1) == WaitingQueue::none);
  const auto narrow_and_long = [](std::uint32_t processors, Duration estimate) {
    return processors <= 5 && estimate <= seconds(15);
  };
  CHECK(queue.at(queue.first(0, narrow_and_long)).number == 1);
  queue.erase(queue.front());
  CHECK(queue.first(0, narrow_and_long) ==
        WaitingQueue::none);  // one fits 3 processors and 20 s, another 7 and 30
  CHECK(queue.at(queue.front()).number == 2);
  std::vector<StreamJob> left;
  queue.drain_to(left);
  CHECK(left.size() == 3);
  CHECK(queue.empty());
}

TEST_CASE("waiting jobs: their index agrees with a list") {
  Random random(5);
  WaitingQueue queue;
  std::vector<StreamJob> list;
  std::uint64_t number = 0;
  for (int step = 0; step < 4000; ++step) {
    if (random.chance(step < 2000 ? 0.6 : 0.4)) {
      list.push_back({.number = ++number, .processors = 1 + static_cast<std::uint32_t>(random.below(20))});
      queue.push(list.back());
    } else {
      const auto most = static_cast<std::uint32_t>(random.below(22));
      const auto fits = [&](const StreamJob& job) { return job.processors <= most; };
      const auto expected = std::find_if(list.begin(), list.end(), fits);
      const WaitingQueue::Place found = queue.first_fit(0, most);
      REQUIRE((found != WaitingQueue::none) == (expected != list.end()));
      if (expected == list.end()) continue;
      REQUIRE(queue.at(found).number == expected->number);
      queue.erase(found);
      list.erase(expected);
    }
    REQUIRE(queue.size() == list.size());
    if (!list.empty()) REQUIRE(queue.at(queue.front()).number == list.front().number);
  }
}

TEST_CASE("plan: it finds the earliest hole") {
  Profile plan(10);
  CHECK(plan.earliest(at(5), seconds(100), 10) == at(5));
  plan.take(at(0), at(100), 8);
  plan.take(at(100), at(150), 10);
  CHECK(plan.earliest(at(0), seconds(100), 2) == at(0));  // until exactly 100
  CHECK(plan.earliest(at(0), seconds(101), 2) == at(150));
  CHECK(plan.earliest(at(0), seconds(1), 3) == at(150));
  CHECK(plan.size() == 4);  // before 0, 0 to 100, 100 to 150, after
  plan.give(at(50), at(100), 8);
  CHECK(plan.earliest(at(0), seconds(50), 10) == at(50));
  CHECK(plan.free_at(at(75)) == 10);
  plan.give(at(0), at(50), 8);
  plan.give(at(100), at(150), 10);
  CHECK(plan.size() == 1);
}

TEST_CASE("plan: it says whether a job finds an earlier place, its own included") {
  Profile plan(4);
  plan.take(at(0), at(10), 4);
  plan.take(at(15), at(20), 1);
  plan.take(at(20), at(60), 4);  // its own: 4 processors for 40 s
  CHECK_FALSE(plan.earlier(at(0), at(20), at(20), seconds(40), 4));
  plan.give(at(15), at(20), 1);
  CHECK(plan.earlier(at(0), at(20), at(20), seconds(40), 4) == at(10));
  CHECK_FALSE(plan.earlier(at(0), at(10), at(20), seconds(40), 4));
}

}  // namespace architectures_cluster_test
