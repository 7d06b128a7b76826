#include "simulator/experiments/cm.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "manager/assert.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

/// Processors that worked during the experiments (table 1), two on each node.
constexpr std::array<std::uint32_t, 5> working_processors = {134, 40, 52, 56, 38};
constexpr std::array<double, 2> cm_gaps = {80, 40};

struct CmPolicy {
  std::string_view name;
  bool is_flexible = false;
};
constexpr std::array<CmPolicy, 3> cm_policies = {{{"worst_fit"}, {"cm"}, {"fcm", true}}};

struct CmShape {
  bool is_laplace = false;
  std::uint32_t processors = 0, components = 0;
};

/// Laplace (36, 64) and heat (36, 64, 72) are equally frequent; components have at most 24 processors.
CmShape draw_shape(Random& random) {
  const bool is_laplace = random.below(2) == 0;
  switch (is_laplace ? random.below(2) : random.below(3)) {
    case 0: return {is_laplace, 36, static_cast<std::uint32_t>(2 + random.below(3))};
    case 1: return {is_laplace, 64, 4};
    default: return {is_laplace, 72, static_cast<std::uint32_t>(3 + random.below(2))};
  }
}

JobDescription cm_job(const CmSettings& settings, const CmShape& shape, bool is_flexible) {
  JobDescription job;
  if (is_flexible) {
    job.need.kind = RequestKind::flexible;
    job.need.components = {{shape.processors, {}, {}}};
  } else {
    for (std::uint32_t i = 0; i < shape.components; ++i)
      job.need.components.push_back({shape.processors / shape.components, {}, {}});
  }
  job.program.arguments = {"spread", std::to_string(settings.run_seconds)};
  for (const double slowdown : shape.is_laplace ? settings.laplace_slowdowns : settings.heat_slowdowns)
    job.program.arguments.push_back(std::to_string(settings.run_seconds * slowdown));
  job.keep_output = false;
  job.dttl = 1;
  return job;
}

PlacedWorkload cm_workload(const CmSettings& settings, const CmPolicy& policy, double gap, std::uint64_t seed) {
  PlacedWorkload workload;
  for (std::size_t i = 0; i < working_processors.size(); ++i)
    workload.clusters.push_back({"cluster" + std::to_string(i), working_processors[i], 0, 0});
  (policy.is_flexible ? workload.policies.flexible_policy : workload.policies.placement_policy) = policy.name;
  workload.background = settings.background;
  workload.seed = seed;
  Random chance(derived_seed(seed, 0));  // all policies place the same jobs
  Duration at;
  for (std::uint64_t i = 0; i < settings.jobs; ++i) {
    at = at + from_seconds(chance.exponential(gap));
    const CmShape shape = draw_shape(chance);
    workload.jobs.push_back({at, cm_job(settings, shape, policy.is_flexible)});
  }
  return workload;
}

void add(CmRow& row, const PlacedOutcome& outcome) {
  row.used += outcome.used;
  row.used_locally += outcome.used_locally;
  for (const PlacedJobOutcome& job : outcome.jobs) {
    ++row.jobs;
    if (!job.is_finished) continue;
    ++row.finished;
    row.response_seconds += (job.ended - job.submitted).in_seconds();
    row.wait_seconds += (job.began - job.submitted).in_seconds();
    row.execution_seconds += (job.ended - job.began).in_seconds();
    row.clusters += job.clusters;
    DMM_ASSERT(job.clusters > 0 && job.clusters <= row.cluster_shares.size());
    row.cluster_shares[job.clusters - 1] += 1;
  }
}

/// Sums become means.
void divide(CmRow& row, std::uint32_t repetitions) {
  row.used /= repetitions;
  row.used_locally /= repetitions;
  if (row.finished == 0) return;
  const auto finished = static_cast<double>(row.finished);
  for (double* sum : {&row.response_seconds, &row.wait_seconds, &row.execution_seconds, &row.clusters})
    *sum /= finished;
  for (double& share : row.cluster_shares) share /= finished;
}

std::vector<PlacedClaim> cm_claims_of(const std::vector<CmRow>& rows) {
  DMM_ASSERT(rows.size() == cm_gaps.size() * cm_policies.size());
  const auto at = [&](std::size_t workload, std::size_t policy) -> const CmRow& {
    return rows[workload * cm_policies.size() + policy];
  };
  const auto falls = [&](std::size_t workload, double CmRow::*figure) {
    return at(workload, 0).*figure > at(workload, 1).*figure && at(workload, 1).*figure > at(workload, 2).*figure;
  };
  bool grows = true;
  for (std::size_t policy = 0; policy < cm_policies.size(); ++policy)
    grows &= at(1, policy).execution_seconds > at(0, policy).execution_seconds;
  const auto most = [&](std::size_t workload) {
    return at(workload, 0).clusters > std::max(at(workload, 1).clusters, at(workload, 2).clusters);
  };
  double longest = 0;
  for (std::size_t policy = 0; policy < cm_policies.size(); ++policy)
    longest = std::max(longest, at(0, policy).wait_seconds / at(0, policy).execution_seconds);
  return {
      {"W1: responses are shortest with FCM, then CM, then WF", falls(0, &CmRow::response_seconds)},
      {"W2: responses are shortest with FCM, then CM, then WF", falls(1, &CmRow::response_seconds)},
      {"W2: waits are shortest with FCM, then CM, then WF", falls(1, &CmRow::wait_seconds)},
      {"W1: all waits are short, less than a quarter of the run", longest < 0.25},
      {"W2: FCM waits a fifth less than CM at least", at(1, 2).wait_seconds < at(1, 1).wait_seconds * 0.8},
      {"all policies: jobs run longer under W2", grows},
      {"W1 and W2: WF combines the most clusters", most(0) && most(1)},
      {"W2: FCM combines at least as many clusters as CM", at(1, 2).clusters >= at(1, 1).clusters},
  };
}

}  // namespace

CmOutcome cm_experiment(const CmSettings& settings, const std::function<void(const CmRow&)>& done) {
  CmOutcome outcome;
  for (const double gap : cm_gaps)
    for (const CmPolicy& policy : cm_policies) {
      CmRow& row = outcome.rows.emplace_back();
      row.policy = policy.name;
      row.gap_seconds = gap;
      row.cluster_shares.resize(working_processors.size());
      for (std::uint32_t i = 0; i < settings.repetitions; ++i)
        add(row, run_placed_workload(cm_workload(settings, policy, gap, settings.seed + i)));
      divide(row, settings.repetitions);
      if (done) done(row);
    }
  outcome.claims = cm_claims_of(outcome.rows);
  return outcome;
}

}  // namespace dmm
