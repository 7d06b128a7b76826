// Workloads from the model for a whole grid: resulting loads, independence of the clusters, repetition.
#include "workloads/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace model_test {

using namespace dmm;

namespace {

ModelWorkload made(const ModelOptions& options) {
  auto result = ModelWorkload::make(options);
  const auto* const error = std::get_if<WorkloadError>(&result);
  REQUIRE_MESSAGE(error == nullptr, error->text);
  return std::get<ModelWorkload>(std::move(result));
}

std::string refusal(const ModelOptions& options) {
  const auto result = ModelWorkload::make(options);
  const auto* const error = std::get_if<WorkloadError>(&result);
  return error != nullptr ? error->text : "";
}

std::vector<StreamJob> all_of(const JobStream& stream) {
  std::vector<StreamJob> jobs;
  while (const auto job = stream()) jobs.push_back(*job);
  return jobs;
}

bool same(const StreamJob& a, const StreamJob& b) {
  return a.number == b.number && a.home == b.home && a.user == b.user && a.submit == b.submit && a.run == b.run &&
         a.estimate == b.estimate && a.processors == b.processors;
}

double work_of(const std::vector<StreamJob>& jobs, std::uint32_t home) {
  double work = 0;
  for (const StreamJob& job : jobs) work += job.home == home ? job.run.in_seconds() * job.processors : 0;
  return work;
}

}  // namespace

TEST_CASE("model: a day of four clusters is in order, in the period, and has the load that was asked for") {
  for (const LoadCorrection correction : {LoadCorrection::none, LoadCorrection::reject, LoadCorrection::rescale}) {
    const ModelOptions options{.cluster_processors = {64, 144, 256, 512},
                               .loads = {0.5},
                               .users_per_cluster = 7,
                               .correction = correction};
    const ModelWorkload workload = made(options);
    const std::vector<StreamJob> jobs = all_of(workload.stream());
    REQUIRE(jobs.size() > 1000);
    std::vector<bool> users(7);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      REQUIRE(jobs[i].number == i + 1);
      REQUIRE(jobs[i].home < 4);
      REQUIRE(jobs[i].processors <= options.cluster_processors[jobs[i].home]);
      REQUIRE(jobs[i].run >= seconds(1));
      REQUIRE(jobs[i].estimate == jobs[i].run);
      REQUIRE(jobs[i].submit < Instant{} + seconds(86400));
      if (i > 0) REQUIRE(jobs[i - 1].submit <= jobs[i].submit);
      users.at(jobs[i].user) = true;
    }
    for (const bool is_seen : users) CHECK(is_seen);
    double work = 0;
    for (std::uint32_t home = 0; home < 4; ++home) {
      const ModelCluster& cluster = workload.clusters()[home];
      CHECK(cluster.nominal_load == doctest::Approx(0.5).epsilon(1e-6));
      CHECK(cluster.realised_load == doctest::Approx(work_of(jobs, home) / (cluster.processors * 86400.0)));
      CHECK(cluster.jobs == all_of(workload.stream_of(home)).size());
      if (correction == LoadCorrection::none) continue;
      CHECK(cluster.is_within_tolerance);
      CHECK(std::abs(cluster.realised_load / 0.5 - 1) <= 0.1);
      work += work_of(jobs, home);
    }
    CHECK(workload.nominal_load() == doctest::Approx(0.5).epsilon(1e-6));
    if (work > 0) CHECK(workload.realised_load() == doctest::Approx(work / (976 * 86400.0)));
  }
}

TEST_CASE(
    "model: the same seed gives the same jobs, also of the second reading; another seed and cluster give others") {
  ModelOptions options{.cluster_processors = {64, 64}, .loads = {0.7}, .period_seconds = 40000, .seed = 9};
  const ModelWorkload workload = made(options);
  const std::vector<StreamJob> jobs = all_of(workload.stream());
  const std::vector<StreamJob> again = all_of(workload.stream());
  const std::vector<StreamJob> rebuilt = all_of(made(options).stream());
  REQUIRE(jobs.size() > 50);
  REQUIRE(again.size() == jobs.size());
  REQUIRE(rebuilt.size() == jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    REQUIRE(same(jobs[i], again[i]));
    REQUIRE(same(jobs[i], rebuilt[i]));
  }
  CHECK_FALSE(same(*workload.stream_of(0)(), *workload.stream_of(1)()));
  // A cluster's jobs don't change with the clusters beside it.
  options.cluster_processors = {64, 64, 256};
  const std::vector<StreamJob> first = all_of(workload.stream_of(0));
  const std::vector<StreamJob> still = all_of(made(options).stream_of(0));
  REQUIRE(first.size() == still.size());
  for (std::size_t i = 0; i < first.size(); ++i) REQUIRE(same(first[i], still[i]));
  options.seed = 10;
  const std::vector<StreamJob> other = all_of(made(options).stream_of(0));
  CHECK_FALSE(same(first[0], other[0]));
}

TEST_CASE("model: over months the realised load comes near the nominal one by itself") {
  const ModelWorkload workload = made({.cluster_processors = {144},
                                       .loads = {0.7},
                                       .period_seconds = 120 * 86400,
                                       .correction = LoadCorrection::none});
  CHECK(workload.realised_load() == doctest::Approx(0.7).epsilon(0.06));
  const ModelCluster& cluster = workload.clusters()[0];
  CHECK(static_cast<double>(cluster.jobs) == doctest::Approx(cluster.expected_jobs).epsilon(0.06));
  CHECK(cluster.expected_jobs == doctest::Approx(120 * 86400 / 96.9).epsilon(0.001));
}

TEST_CASE("model: each cluster has a load of its own, also of both types, or has the publication's own arrivals") {
  const ModelWorkload uneven = made({.cluster_processors = {64, 256}, .loads = {0.6, 1.5}});
  CHECK(uneven.clusters()[0].nominal_load == doctest::Approx(0.6).epsilon(1e-6));
  CHECK(uneven.clusters()[1].nominal_load == doctest::Approx(1.5).epsilon(1e-6));
  CHECK(uneven.nominal_load() == doctest::Approx((64 * 0.6 + 256 * 1.5) / 320).epsilon(1e-6));
  const ModelWorkload types = made({.cluster_processors = {128},
                                    .variant = LublinVariant::types,
                                    .loads = {0},
                                    .correction = LoadCorrection::none});
  CHECK(types.nominal_load() == doctest::Approx(163480 / (128 * 3516.9) + 2964 / (128 * 619.3)).epsilon(1e-3));
  const ModelWorkload all = made({.cluster_processors = {128},
                                  .variant = LublinVariant::all,
                                  .loads = {0},
                                  .correction = LoadCorrection::none});
  CHECK(all.nominal_load() == doctest::Approx(84241 / (128 * 911.3)).epsilon(1e-3));
}

TEST_CASE("model: impossible options are refused") {
  CHECK(refusal({}) == "a model workload needs a cluster; expected at least one");
  CHECK(refusal({.cluster_processors = {4, 0}}) == "a cluster of 0 processors; expected 1 to 10000000");
  CHECK(refusal({.cluster_processors = {4}, .loads = {1, 2}}) ==
        "2 loads for 1 clusters; expected one for all, or one for each");
  CHECK(refusal({.cluster_processors = {4}, .loads = {-1}}) == "a load of -1.000000; expected 0 or more");
  CHECK(refusal({.cluster_processors = {4}, .period_seconds = 0}) == "a period of 0 s; expected 1 to 10000000000");
  CHECK(refusal({.cluster_processors = {4}, .users_per_cluster = 0}) ==
        "no users; expected at least 1 for each cluster");
  CHECK(refusal({.cluster_processors = {4}, .tolerance = 0}) ==
        "a tolerance of 0 or less; expected for example 0.1");
  CHECK(refusal({.cluster_processors = {4}, .attempts_max = 0}) == "no attempts; expected at least 1");
  CHECK(refusal({.cluster_processors = {16}, .loads = {1e6}}).starts_with("cluster 0: the model can't offer"));
}

}  // namespace model_test
