// Jobs of several components on clusters of separate owners, with the managers in virtual time: the basis of the
// experiments from the KOALA papers.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "protocol/programs.hpp"
#include "simulator/experiments/cm.hpp"
#include "simulator/experiments/koala.hpp"
#include "simulator/experiments/placed_workload.hpp"
#include "simulator/world/task_performer.hpp"

namespace placed_workload_test {

using namespace dmm;
using doctest::Approx;

namespace {

JobDescription job_of(std::uint32_t components, std::uint32_t size, std::vector<std::string> arguments) {
  JobDescription job;
  for (std::uint32_t i = 0; i < components; ++i) job.need.components.push_back({size, {}, {}});
  job.program.arguments = std::move(arguments);
  job.keep_output = false;
  job.reruns_max = 1000;
  job.dttl = 1;
  return job;
}

PlacedWorkload two_clusters(std::uint32_t processors) {
  PlacedWorkload workload;
  workload.clusters = {{"a", processors, 0, 0}, {"b", processors, 0, 0}};
  workload.policies.placement_policy = "worst_fit";
  return workload;
}

}  // namespace

TEST_CASE("placed workload: a file of 4 GB takes 320 s over a link of 100 Mbit/s, and one of 8 GB twice as long") {
  CHECK(time_to_carry(4'000'000'000, file_bandwidth_unsaid) == seconds(320));
  CHECK(time_to_carry(8'000'000'000, file_bandwidth_unsaid) == seconds(640));
}

TEST_CASE("placed workload: a job that minds its clusters runs for the time declared for that number of owners") {
  PlacedWorkload workload = two_clusters(4);
  workload.jobs = {{{}, job_of(2, 3, {"spread", "100", "120"})},
                   {seconds(1000), job_of(1, 3, {"spread", "100", "120"})}};
  const PlacedOutcome outcome = run_placed_workload(workload);
  REQUIRE(outcome.jobs[0].is_finished);
  REQUIRE(outcome.jobs[1].is_finished);
  CHECK(outcome.jobs[0].clusters == 2);
  CHECK((outcome.jobs[0].ended - outcome.jobs[0].began).in_seconds() == Approx(120).epsilon(0.001));
  CHECK(outcome.jobs[1].clusters == 1);
  CHECK((outcome.jobs[1].ended - outcome.jobs[1].began).in_seconds() == Approx(100).epsilon(0.001));
}

TEST_CASE(
    "placed workload: files from elsewhere come first, and the first placement promises when the job begins") {
  PlacedWorkload workload = two_clusters(4);
  workload.policies.placement_policy = "close_to_files";
  JobDescription job = job_of(2, 4, {"sleep", "10"});  // both clusters, the file lies at one
  set_inputs(job, {{"input", {{"http://a/input", SiteName("a")}}, 1'000'000'000, {}}});
  workload.jobs = {{{}, job}};
  const PlacedJobOutcome outcome = run_placed_workload(workload).jobs[0];
  CHECK((outcome.began - outcome.placed).in_seconds() == Approx(80).epsilon(0.001));
  REQUIRE(outcome.first_expected);
  CHECK((outcome.began - *outcome.first_expected).in_seconds() < 0.1);

  workload.link_bandwidth /= 2;
  const PlacedJobOutcome slower = run_placed_workload(workload).jobs[0];
  CHECK((slower.began - slower.placed).in_seconds() == Approx(160).epsilon(0.001));
}

TEST_CASE(
    "placed workload: what a transfer took is what the next one should take, whatever the link carries [S88b]") {
  PlacedWorkload workload = two_clusters(4);
  workload.policies.placement_policy = "close_to_files";
  workload.link_bandwidth = 0;  // probes go at any rate, and files at 100 Mbit/s
  JobDescription job = job_of(2, 4, {"sleep", "10"});
  set_inputs(job, {{"input", {{"http://a/input", SiteName("a")}}, 1'000'000'000, {}}});
  for (int i = 0; i < 3; ++i) workload.jobs.push_back({seconds(200 * i), job});
  const std::vector<PlacedJobOutcome> jobs = run_placed_workload(workload).jobs;
  // The first job is placed before the link is measured. The second is placed after it was, and after a file went over
  // it.
  for (const PlacedJobOutcome& one : jobs) {
    CAPTURE(one.placement);
    CHECK(one.placement.find("4 on b/nodes (files in 80.0 s)") != std::string::npos);
    CHECK((one.began - one.placed).in_seconds() == Approx(80).epsilon(0.001));
  }
}

TEST_CASE("placed workload: a job is tried again until no host fails it") {
  PlacedWorkload workload = two_clusters(2);
  workload.clusters[0].failing_share = workload.clusters[1].failing_share = 0.5;
  for (int i = 0; i < 10; ++i) workload.jobs.push_back({seconds(600 * i), job_of(2, 2, {"sleep", "10"})});
  const PlacedOutcome outcome = run_placed_workload(workload);
  std::uint32_t failures = 0;
  for (const PlacedJobOutcome& job : outcome.jobs) {
    CHECK(job.is_finished);
    failures += job.failures;
  }
  CHECK(failures > 10);  // three of four attempts fail
}

TEST_CASE("placed workload: broken nodes are set aside and run no job, and the other nodes serve") {
  PlacedWorkload workload = two_clusters(4);
  workload.clusters[0].broken_share = 0.5;
  for (int i = 0; i < 12; ++i) workload.jobs.push_back({seconds(100 * i), job_of(2, 2, {"sleep", "10"})});
  const PlacedOutcome outcome = run_placed_workload(workload);
  std::uint32_t failures = 0;
  for (const PlacedJobOutcome& job : outcome.jobs) {
    CHECK(job.is_finished);
    failures += job.failures;
  }
  CHECK(failures > 0);
  CHECK(outcome.jobs.back().failures == 0);
}

TEST_CASE("placed workload: a cluster with hosts that fail every job gets no more jobs for a while") {
  PlacedWorkload workload = two_clusters(8);
  workload.clusters[0].processors = 80;  // resource managers set single nodes aside, which takes long here
  workload.clusters[0].failing_share = 1;
  for (int i = 0; i < 40; ++i) workload.jobs.push_back({seconds(60 * i), job_of(2, 2, {"sleep", "10"})});
  const auto failures_with = [&](std::uint32_t most) {
    workload.policies.cluster_errors_max = most;
    std::uint32_t failures = 0;
    for (const PlacedJobOutcome& job : run_placed_workload(workload).jobs) {
      CHECK(job.is_finished);
      failures += job.failures;
    }
    return failures;
  };
  const std::uint32_t few = failures_with(3), many = failures_with(0);
  MESSAGE("failures with a limit of 3: " << few << ", without: " << many);
  CHECK(few < 20);
  CHECK(many > few * 2);
}

TEST_CASE("placed workload: jobs with files at a cluster that is set aside are placed elsewhere") {
  PlacedWorkload workload = two_clusters(8);
  workload.clusters[0].processors = 80;
  workload.clusters[0].failing_share = 1;
  workload.policies.placement_policy = "close_to_files";
  workload.policies.cluster_errors_max = 3;
  JobDescription job = job_of(1, 2, {"sleep", "10"});
  set_inputs(job, {{"input", {{"http://a/input", SiteName("a")}}, 1'000'000, {}}});
  for (int i = 0; i < 8; ++i) workload.jobs.push_back({seconds(60 * i), job});
  const PlacedOutcome outcome = run_placed_workload(workload);
  for (const PlacedJobOutcome& one : outcome.jobs) CHECK(one.is_finished);
  for (std::size_t i = 1; i < outcome.jobs.size(); ++i) {
    CHECK(outcome.jobs[i].failures == 0);
    CHECK((outcome.jobs[i].began - outcome.jobs[i].submitted).in_seconds() < 5);
  }
}

TEST_CASE("placed workload: no job is submitted while the greatest number of jobs waits") {
  PlacedWorkload workload = two_clusters(1);
  workload.waiting_max = 1;
  for (int i = 0; i < 4; ++i) workload.jobs.push_back({{}, job_of(2, 1, {"sleep", "100"})});
  const PlacedOutcome outcome = run_placed_workload(workload);
  // One job runs and one waits. Each later job comes when the one before the last has ended.
  CHECK(outcome.jobs[1].submitted < seconds(1));
  CHECK(outcome.jobs[2].submitted >= seconds(99));
  CHECK(outcome.jobs[3].submitted >= seconds(199));
}

TEST_CASE("placed workload: local users use as much of their clusters as was asked for") {
  PlacedWorkload workload = two_clusters(50);
  workload.background = 0.3;
  for (int i = 0; i < 20; ++i) workload.jobs.push_back({seconds(3600 * i), job_of(2, 1, {"sleep", "10"})});
  const PlacedOutcome outcome = run_placed_workload(workload);
  CHECK(outcome.used_locally == Approx(0.3).epsilon(0.1));
  CHECK(outcome.used < 0.01);
}

TEST_CASE("placed workload: in the KOALA experiment all jobs end, and a seed gives the same figures twice") {
  KoalaSettings settings;
  settings.jobs = 40;
  settings.seed = 3;
  const KoalaOutcome first = koala_experiment(settings), second = koala_experiment(settings);
  REQUIRE(first.rows.size() == 24);
  std::uint64_t jobs = 0;
  for (std::size_t i = 0; i < first.rows.size(); ++i) {
    jobs += first.rows[i].finished;
    CHECK(first.rows[i].placement_seconds == second.rows[i].placement_seconds);
    CHECK(first.rows[i].failed_share == second.rows[i].failed_share);
  }
  CHECK(jobs == 80);  // on stable hosts, and on others
  CHECK(first.claims.at(0).holds);
}

TEST_CASE("placed workload: in the CM experiment worst fit combines the most clusters, and its jobs run longest") {
  CmSettings settings;
  settings.repetitions = 2;
  settings.jobs = 100;
  const CmOutcome outcome = cm_experiment(settings);
  REQUIRE(outcome.rows.size() == 6);
  for (const CmRow& row : outcome.rows) CHECK(row.finished == row.jobs);
  for (std::size_t workload = 0; workload < 2; ++workload) {
    const CmRow &worst = outcome.rows[workload * 3], &minimal = outcome.rows[workload * 3 + 1];
    CHECK(worst.clusters > minimal.clusters);
    CHECK(worst.execution_seconds > minimal.execution_seconds);
    CHECK(worst.response_seconds > minimal.response_seconds);
  }
}

}  // namespace placed_workload_test
