// The workload of Jones et al. 2004, section 5.1, and the comparison made with it, on a small scale: what must hold
// exactly, and rankings that hold with any seed. The figures are in docs/reproduction.md.
#include "workloads/mini_grid.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "simulator/experiments/mini_grid.hpp"

namespace mini_grid_test {

using namespace dmm;
using doctest::Approx;

namespace {

std::vector<StreamJob> all_of(const JobStream& stream) {
  std::vector<StreamJob> jobs;
  while (const auto job = stream()) jobs.push_back(*job);
  return jobs;
}

MiniGridSettings small(std::uint64_t jobs_per_cluster) {
  return {.clusters = {2}, .jobs_per_cluster = jobs_per_cluster};
}

MiniGridRow row_of(std::uint32_t clusters, MiniGridCurve curve, double penalty, double turnaround) {
  return {.clusters = clusters, .curve = curve, .penalty = penalty, .turnaround_seconds = turnaround};
}

}  // namespace

TEST_CASE("mini-grid: its workload is ordered, complete, and follows its laws") {
  const std::vector<StreamJob> jobs = all_of(mini_grid_jobs({.clusters = 3, .jobs_per_cluster = 5000}));
  REQUIRE(jobs.size() == 15000);
  double run = 0, processors = 0;
  std::map<std::uint32_t, Instant> last;
  std::map<std::uint32_t, int> jobs_of;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CHECK(jobs[i].number == i + 1);
    if (i > 0) CHECK(jobs[i].submit >= jobs[i - 1].submit);
    CHECK(jobs[i].run >= microseconds(1));
    CHECK(jobs[i].estimate == jobs[i].run);
    CHECK(jobs[i].processors >= 10);
    CHECK(jobs[i].processors <= 90);
    run += jobs[i].run.in_seconds();
    processors += jobs[i].processors;
    last[jobs[i].home] = jobs[i].submit;
    ++jobs_of[jobs[i].home];
  }
  // Within 4 standard errors: 225 / sqrt(15000) = 1.8; 23.4 / sqrt(15000) = 0.19; 150 / sqrt(5000) = 2.1.
  CHECK(std::abs(run / 15000 - 225) < 7.4);
  CHECK(std::abs(processors / 15000 - 50) < 0.8);
  for (std::uint32_t home = 0; home < 3; ++home) {
    CHECK(jobs_of[home] == 5000);
    CHECK(std::abs((last[home] - Instant{}).in_seconds() / 5000 - 150) < 8.5);
  }
  CHECK(std::any_of(jobs.begin(), jobs.end(), [](const StreamJob& job) { return job.processors == 10; }));
  CHECK(std::any_of(jobs.begin(), jobs.end(), [](const StreamJob& job) { return job.processors == 90; }));
}

TEST_CASE("mini-grid: a cluster's jobs don't depend on how many clusters there are, but on the seed") {
  const auto of_second = [](std::uint32_t clusters, std::uint64_t seed) {
    std::vector<std::int64_t> times;
    for (const StreamJob& job :
         all_of(mini_grid_jobs({.clusters = clusters, .jobs_per_cluster = 20, .seed = seed})))
      if (job.home == 1) times.push_back(job.submit.microseconds + job.run.microseconds + job.processors);
    return times;
  };
  CHECK(of_second(2, 1).size() == 20);
  CHECK(of_second(2, 1) == of_second(8, 1));
  CHECK(of_second(2, 1) != of_second(2, 2));
  CHECK(all_of(mini_grid_jobs({.clusters = 2, .jobs_per_cluster = 0})).empty());
}

TEST_CASE("mini-grid: the offered load is 0.75") {
  // 50 processors x 225 s a job, one job each 150 s: 11250 / (150 x 100).
  CHECK(mini_grid_load({}, 100) == Approx(0.75));
}

TEST_CASE("mini-grid: bounds are ordered, and no penalty is no penalty in each way to write it") {
  const MiniGridSettings settings = small(1500);
  const auto run = [&](MiniGridCurve curve, const Execution& execution) {
    return mini_grid_run(settings, 2, curve, execution);
  };
  const MiniGridRow none = run(MiniGridCurve::no_sharing, PlainExecution{});
  const MiniGridRow migration = run(MiniGridCurve::migration_only, PlainExecution{});
  const MiniGridRow free = run(MiniGridCurve::no_penalty, PlainExecution{});
  CHECK(none.jobs == 3000);
  CHECK(none.coallocated_share == 0);
  CHECK(migration.coallocated_share == 0);
  CHECK(free.coallocated_share > 0.2);
  CHECK(free.turnaround_seconds < migration.turnaround_seconds);
  CHECK(migration.turnaround_seconds < none.turnaround_seconds);

  // K = 1: jobs don't communicate, so the links don't matter. They don't matter either if they are wide, or if the
  // penalty is 1.
  const std::vector<Execution> equivalents = {SharedLinks{.bandwidth_megabits = 5000, .computation_share = 1},
                                              SharedLinks{.link_megabits = 1e9, .bandwidth_megabits = 1000},
                                              FixedPenalty{1}};
  for (const Execution& execution : equivalents)
    CHECK(run(MiniGridCurve::no_penalty, execution).turnaround_seconds == free.turnaround_seconds);

  // The links don't affect jobs within one cluster.
  const Execution narrow = SharedLinks{.bandwidth_megabits = 5000};
  CHECK(run(MiniGridCurve::migration_only, narrow).turnaround_seconds == migration.turnaround_seconds);
  CHECK(run(MiniGridCurve::shared_links, SharedLinks{.bandwidth_megabits = 1200}).penalty > 1);
  CHECK(run(MiniGridCurve::fixed_penalty, FixedPenalty{1.2}).penalty == Approx(1.2).epsilon(1e-6));
}

TEST_CASE("mini-grid: the comparison gives every curve, and its sweeps end where no sharing would be better") {
  MiniGridSettings settings = small(300);
  settings.penalties = {1.1, 3, 4};
  settings.bisections = {500, 6000, 7000};
  std::size_t heard = 0;
  const std::vector<MiniGridRow> rows = mini_grid(settings, [&](const MiniGridRow&) { ++heard; });
  CHECK(heard == rows.size());
  std::vector<std::pair<MiniGridCurve, double>> curves;
  for (const MiniGridRow& row : rows) curves.emplace_back(row.curve, row.bisection_megabits);
  CHECK(curves == std::vector<std::pair<MiniGridCurve, double>>{{MiniGridCurve::no_sharing, 0},
                                                                {MiniGridCurve::migration_only, 0},
                                                                {MiniGridCurve::no_penalty, 0},
                                                                {MiniGridCurve::fixed_penalty, 0},
                                                                {MiniGridCurve::fixed_penalty, 0},
                                                                {MiniGridCurve::shared_links, 500},
                                                                {MiniGridCurve::fed_penalty, 500},
                                                                {MiniGridCurve::shared_links, 6000},
                                                                {MiniGridCurve::fed_penalty, 6000}});
  CHECK(rows[8].penalty == Approx(rows[7].penalty).epsilon(1e-6));
  // Again the same: only the settings decide.
  const std::vector<MiniGridRow> again = mini_grid(settings);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].turnaround_seconds == again[i].turnaround_seconds);
}

TEST_CASE("mini-grid: crossings lie where the logarithm of the turnaround meets the bound") {
  using enum MiniGridCurve;
  // From 400 at 1.2 to 900 at 1.3: 600 is halfway, since 600 / 400 = 900 / 600. The other bound is never reached.
  const std::vector<MiniGridRow> rows = {row_of(2, migration_only, 1, 600),  row_of(2, no_sharing, 1, 2000),
                                         row_of(2, no_penalty, 1, 300),      row_of(2, fixed_penalty, 1.2, 400),
                                         row_of(2, fixed_penalty, 1.3, 900), row_of(4, fixed_penalty, 1.4, 9000)};
  const std::vector<MiniGridCrossing> crossings = mini_grid_crossings(rows);
  REQUIRE(crossings.size() == 4);
  CHECK(crossings[0].curve == fixed_penalty);
  CHECK(crossings[0].bound == migration_only);
  CHECK(crossings[0].penalty == Approx(1.25));
  for (std::size_t i = 1; i < 4; ++i) CHECK(crossings[i].penalty == 0);
}

}  // namespace mini_grid_test
