// What keeps waiting jobs back, alone: holds, begin times, and the index of jobs that other jobs depend on.
#include "jobmgr/eligibility.hpp"

#include <doctest/doctest.h>

namespace dmm::eligibility_test {
namespace {

const Instant start{seconds(100).microseconds};

Conditions after_jobs(std::vector<Dependency> awaits) { return {false, never, std::move(awaits), start}; }

}  // namespace

TEST_CASE("eligibility: a job is kept back until the last of its conditions is gone, and for so long") {
  Eligibility part;
  part.add(7, {true, start + seconds(60), {{DependencyKind::after_any, 3}}, start});
  CHECK_FALSE(part.is_eligible(7));
  CHECK(part.is_eligible(8));
  CHECK(part.is_held(7));
  part.release(7);
  CHECK_FALSE(part.is_held(7));
  CHECK_FALSE(part.take_freed(start, 7));
  CHECK_FALSE(part.due(start + seconds(59)));
  CHECK(part.next_deadline() == start + seconds(60));
  CHECK(part.due(start + seconds(60)) == 7);
  part.end_begin(7);
  CHECK_FALSE(part.take_freed(start + seconds(60), 7));
  part.note(3, JobState::lost);
  CHECK(part.next_deadline() == Instant{});
  const auto told = part.take_told();
  REQUIRE(told);
  CHECK(told->job == 7);
  CHECK(told->state == JobState::lost);
  CHECK(part.take_freed(start + seconds(90), 7) == seconds(90));
  CHECK(part.is_eligible(7));
  CHECK_FALSE(part.take_told());
  CHECK(part.next_deadline() == never);
  CHECK(part.broken_invariant() == "");
}

TEST_CASE("eligibility: which end of a job meets which dependency") {
  using enum DependencyKind;
  for (const JobState state : {JobState::finished, JobState::failed, JobState::cancelled, JobState::lost}) {
    CHECK(is_met(after, state));
    CHECK(is_met(after_any, state));
    CHECK(is_met(after_ok, state) == (state == JobState::finished));
    CHECK(is_met(after_not_ok, state) == (state != JobState::finished));
  }
  CHECK(is_met(after, JobState::running));
}

TEST_CASE("eligibility: that a job has begun is told to those alone that wait for its beginning") {
  Eligibility part;
  part.add(5, after_jobs({{DependencyKind::after_ok, 1}}));
  part.add(6, after_jobs({{DependencyKind::after, 1}}));
  part.note(1, JobState::running);
  CHECK(part.take_told()->job == 6);
  CHECK_FALSE(part.take_told());
  CHECK(part.is_awaited(1));
  part.note(1, JobState::failed);
  const auto told = part.take_told();
  REQUIRE(told);
  CHECK(told->job == 5);
  CHECK_FALSE(is_met(told->dependency.kind, told->state));
  CHECK_FALSE(part.is_awaited(1));
}

TEST_CASE("eligibility: news of a job that no other depends on is none, and one that is over hears nothing more") {
  Eligibility part;
  part.note(1, JobState::finished);
  CHECK(part.next_deadline() == never);
  part.add(5, after_jobs({{DependencyKind::after_ok, 1}, {DependencyKind::after_ok, 2}}));
  part.drop(5);
  CHECK_FALSE(part.is_awaited(1));
  CHECK(part.is_eligible(5));
  part.note(2, JobState::finished);
  CHECK_FALSE(part.take_told());
  CHECK(part.broken_invariant() == "");
}

TEST_CASE("eligibility: a dependency that was said twice is one; of two kinds on one job both are told") {
  Eligibility part;
  part.add(5, after_jobs({{DependencyKind::after, 1}, {DependencyKind::after, 1}, {DependencyKind::after_ok, 1}}));
  CHECK(part.find(5)->awaits.size() == 2);
  part.note(1, JobState::finished);
  CHECK(part.take_told()->dependency.kind == DependencyKind::after);
  CHECK(part.take_told()->dependency.kind == DependencyKind::after_ok);
  CHECK_FALSE(part.take_told());
  CHECK(part.take_freed(start, 5) == Duration{});
}

TEST_CASE("eligibility: a hold of an eligible job counts from when it was held") {
  Eligibility part;
  part.hold(start, 4);
  CHECK(part.jobs() == std::vector<std::uint64_t>{4});
  part.release(4);
  CHECK(part.take_freed(start + seconds(8), 4) == seconds(8));
}

}  // namespace dmm::eligibility_test
