// The table of all jobs of a job manager, alone: by number, by state, and counted.
#include "jobmgr/job_table.hpp"

#include <doctest/doctest.h>

namespace dmm::job_table_test {
namespace {

using S = JobState;
using E = JobEvent;
using Numbers = std::vector<std::uint64_t>;

Job job(std::uint64_t number, JobState state = S::waiting) {
  Job made;
  made.number = number;
  made.state = state;
  if (has_attempt(state)) made.run = std::make_unique<Attempt>();
  return made;
}

/// The events that take a waiting job to a state.
const std::vector<JobEvent>& way_to(JobState state) {
  static const std::map<JobState, std::vector<JobEvent>> ways{
      {S::waiting, {}},
      {S::starting, {E::granted}},
      {S::running, {E::granted, E::all_started}},
      {S::ending, {E::granted, E::all_started, E::stopping}},
      {S::collecting, {E::granted, E::all_started, E::all_ended}},
      {S::finished, {E::granted, E::all_started, E::all_ended, E::finish}},
      {S::failed, {E::fail}},
      {S::cancelled, {E::granted, E::stopping, E::all_ended, E::cancel}},
      {S::lost, {E::granted, E::all_ended, E::lose}},
  };
  return ways.at(state);
}

Job& add(JobTable& jobs, std::uint64_t number, JobState state = S::waiting) {
  Job& added = jobs.add(job(number));
  for (const JobEvent event : way_to(state)) jobs.change(added, event);
  return added;
}

constexpr auto all_states = {S::waiting,  S::starting, S::running,   S::ending, S::collecting,
                             S::finished, S::failed,   S::cancelled, S::lost};

}  // namespace

TEST_CASE("job table: an empty table has nothing to find, to list or to forget") {
  JobTable jobs;
  CHECK(jobs.find(1) == nullptr);
  CHECK(std::as_const(jobs).find(1) == nullptr);
  CHECK(jobs.size() == 0);
  CHECK(jobs.open() == 0);
  CHECK(jobs.oldest_ended() == nullptr);
  CHECK_FALSE(jobs.forget(1));
  CHECK(jobs.all().empty());
  for (const JobState state : all_states) {
    CHECK(jobs.in(state).empty());
    CHECK(jobs.count(state) == 0);
    CHECK(jobs.ever(state) == 0);
  }
}

TEST_CASE("job table: a job is in one state, and is counted in each state that it ever came to") {
  for (const JobState state : all_states) {
    JobTable jobs;
    add(jobs, 7);
    const Job& moved = add(jobs, 5, state);
    INFO(to_text(state));
    CHECK(moved.state == state);
    CHECK(jobs.find(5) == &moved);
    for (const JobState other : all_states) {
      INFO("of ", to_text(other));
      Numbers expected;
      if (other == state) expected.push_back(5);
      if (other == S::waiting) expected.push_back(7);
      CHECK(jobs.in(other) == expected);
      CHECK(jobs.count(other) == expected.size());
      if (other == state) CHECK(jobs.ever(other) == (state == S::waiting ? 2 : 1));
    }
    CHECK(jobs.ever(S::waiting) == 2);
    CHECK(jobs.open() == (is_over(state) ? 1 : 2));
    CHECK(jobs.size() == 2);
  }
}

TEST_CASE("job table: a job that runs again waits again, and came to each state twice") {
  JobTable jobs;
  Job& again = add(jobs, 1, S::collecting);
  jobs.change(again, E::again);
  CHECK(jobs.in(S::waiting) == Numbers{1});
  CHECK(jobs.ever(S::waiting) == 2);
  jobs.change(again, E::granted);
  CHECK(jobs.ever(S::starting) == 2);
  CHECK(jobs.ever(S::running) == 1);
}

TEST_CASE("job table: numbers are listed in order, from any of them, and no more than are asked for") {
  struct Row {
    std::uint64_t from;
    std::size_t most;
    Numbers expected;
  };
  const Row rows[] = {{0, SIZE_MAX, {2, 4, 6, 8}},
                      {4, SIZE_MAX, {4, 6, 8}},
                      {5, SIZE_MAX, {6, 8}},
                      {0, 2, {2, 4}},
                      {3, 1, {4}},
                      {8, 9, {8}},
                      {9, SIZE_MAX, {}},
                      {0, 0, {}}};
  for (const JobState state : {S::waiting, S::running, S::finished}) {
    JobTable jobs;
    for (const std::uint64_t number : {8, 2, 6, 4}) add(jobs, number, state);
    for (const std::uint64_t number : {1, 3, 5, 9}) add(jobs, number, S::starting);
    for (const Row& row : rows) {
      INFO(to_text(state), " from ", row.from);
      CHECK(jobs.in(state, row.from, row.most) == row.expected);
    }
  }
}

TEST_CASE("job table: a job of before a restart is counted in the states that it certainly came to") {
  struct Row {
    JobState state;
    bool granted, started;
    std::vector<JobState> came_to;
  };
  const Row rows[] = {
      {S::waiting, false, false, {S::waiting}},
      {S::waiting, false, true, {S::waiting, S::running}},  // an earlier attempt ran
      {S::starting, true, false, {S::waiting, S::starting}},
      {S::running, true, true, {S::waiting, S::starting, S::running}},
      {S::collecting, true, false, {S::waiting, S::starting, S::collecting}},
      {S::finished, true, true, {S::waiting, S::starting, S::running, S::finished}},
      {S::failed, false, false, {S::waiting, S::failed}},
  };
  for (const Row& row : rows) {
    JobTable jobs;
    Job before = job(3, row.state);
    if (row.granted) before.granted = Instant{1};
    if (row.started) before.started = Instant{2};
    CHECK(jobs.restore(std::move(before)).number == 3);
    INFO(to_text(row.state));
    CHECK(jobs.in(row.state) == Numbers{3});
    for (const JobState state : all_states)
      CHECK(jobs.ever(state) == static_cast<std::uint64_t>(std::ranges::count(row.came_to, state)));
  }
}

TEST_CASE("job table: only jobs that have ended are forgotten, and the oldest of all outcomes is found") {
  JobTable jobs;
  add(jobs, 1);
  add(jobs, 2, S::running);
  add(jobs, 6, S::finished);
  add(jobs, 4, S::lost);
  add(jobs, 5, S::failed);
  add(jobs, 3, S::cancelled);
  CHECK_FALSE(jobs.forget(1));
  CHECK_FALSE(jobs.forget(2));
  CHECK_FALSE(jobs.forget(9));
  for (const std::uint64_t oldest : {3, 4, 5, 6}) {
    REQUIRE(jobs.oldest_ended());
    CHECK(jobs.oldest_ended()->number == oldest);
    CHECK(jobs.forget(oldest));
    CHECK(jobs.find(oldest) == nullptr);
    CHECK_FALSE(jobs.forget(oldest));
  }
  CHECK(jobs.oldest_ended() == nullptr);
  CHECK(jobs.size() == 2);
  CHECK(jobs.open() == 2);
  CHECK(jobs.count(S::lost) == 0);
  CHECK(jobs.ever(S::lost) == 1);
  CHECK(jobs.all().begin()->first == 1);
}

}  // namespace dmm::job_table_test
