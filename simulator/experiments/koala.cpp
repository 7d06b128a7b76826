#include "simulator/experiments/koala.hpp"

#include <array>
#include <string>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/programs.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

/// Processors of the four clusters. The second cluster fails most.
constexpr std::array<std::uint32_t, 4> cluster_processors = {130, 60, 60, 60};
constexpr std::size_t worst_cluster = 1;
constexpr std::uint32_t waiting_max = 100, high_scans = 2;
/// Initial value, step and lower bound of L, as in the paper's section 4.
constexpr double first_wait = 0.75, wait_step = 0.125, least_wait = 0.25;
constexpr std::uint64_t koala_gigabyte = 1'000'000'000;
constexpr std::uint64_t failures_max = 1'000'000;

struct KoalaKind {
  std::uint32_t processors = 0, components = 0;
};
constexpr std::array<KoalaKind, 6> koala_kinds = {{{36, 3}, {36, 4}, {72, 3}, {72, 4}, {72, 6}, {72, 8}}};

SiteName site_at(std::size_t cluster) { return SiteName("cluster" + std::to_string(cluster)); }

/// Draws a size, a number of components, a file and a priority.
KoalaKind draw_kind(Random& random) {
  if (random.below(2) == 0) return koala_kinds[random.below(2)];
  return koala_kinds[2 + random.below(4)];
}

/// Each job has a file of its own.
InputFile draw_file(Random& random, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  const std::string checksum = std::string(64 - digits.size(), '0') + digits;
  InputFile file{"input", {}, (random.below(2) == 0 ? 4 : 8) * koala_gigabyte, checksum};
  const std::uint64_t first = random.below(cluster_processors.size());
  const std::uint64_t second =
      (first + 1 + random.below(cluster_processors.size() - 1)) % cluster_processors.size();
  for (const std::uint64_t cluster : {first, second})
    file.replicas.push_back({"http://" + std::string(site_at(cluster).text) + "/input", site_at(cluster)});
  return file;
}

PlacedJob draw_job(Random& random, std::uint64_t number, Duration submit) {
  PlacedJob placed{submit, {}};
  const KoalaKind kind = draw_kind(random);
  JobDescription& job = placed.job;
  for (std::uint32_t i = 0; i < kind.components; ++i)
    job.need.components.push_back({kind.processors / kind.components, {}, {}});
  job.priority = static_cast<std::int32_t>(random.below(2));
  job.program.arguments = {"sleep", std::to_string(30 + random.uniform() * (192 - 30))};
  job.keep_output = false;
  job.reruns_max = failures_max;
  job.dttl = 1;
  set_inputs(job, {draw_file(random, number)});
  return placed;
}

PlacedWorkload workload_of(const KoalaSettings& settings, bool is_unreliable) {
  PlacedWorkload workload;
  for (std::size_t i = 0; i < cluster_processors.size(); ++i) {
    PlacedCluster& cluster = workload.clusters.emplace_back();
    cluster.name = site_at(i).text;
    cluster.processors = cluster_processors[i];
    cluster.failing_share = is_unreliable ? settings.failing_share : settings.stable_failing_share;
    cluster.broken_share = is_unreliable && i == worst_cluster ? settings.broken_share : 0;
  }
  workload.policies.placement_policy = "close_to_files";
  workload.policies.high_scans = high_scans;
  workload.policies.claiming_threshold = 0;
  workload.policies.claiming_wait = first_wait;
  workload.policies.claiming_wait_step = wait_step;
  workload.policies.claiming_wait_min = least_wait;
  workload.keeps_files = true;
  workload.waiting_max = waiting_max;
  workload.background = settings.background;
  workload.seed = settings.seed;
  Random chance(derived_seed(settings.seed, 0));
  Duration at;
  for (std::uint64_t i = 0; i < settings.jobs; ++i) {
    at = at + from_seconds(chance.exponential(settings.mean_gap_seconds));
    workload.jobs.push_back(draw_job(chance, i, at));
  }
  return workload;
}

bool is_of(const PlacedJob& placed, const KoalaRow& row) {
  std::uint32_t processors = 0;
  for (const Component& component : placed.job.need.components) processors += component.processors;
  return processors == row.processors && placed.job.need.components.size() == row.components &&
         (placed.job.priority > 0) == row.is_high;
}

void fill(KoalaRow& row, const PlacedWorkload& workload, const PlacedOutcome& outcome) {
  double attempts = 0, failures = 0, coallocated = 0, placement = 0, delay = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    if (!is_of(workload.jobs[i], row)) continue;
    const PlacedJobOutcome& job = outcome.jobs[i];
    ++row.jobs;
    attempts += job.failures;
    failures += job.failures;
    if (!job.is_finished) continue;
    ++row.finished;
    ++attempts;
    coallocated += job.clusters > 1;
    placement += (job.placed - job.submitted).in_seconds();
    delay += (job.began - *job.first_expected).in_seconds();
  }
  if (attempts > 0) row.failed_share = failures / attempts;
  if (row.finished == 0) return;
  const auto finished = static_cast<double>(row.finished);
  row.coallocated_share = coallocated / finished;
  row.placement_seconds = placement / finished;
  row.start_delay_seconds = delay / finished;
}

/// The mean of a figure over the rows of one run, weighted by their jobs.
template <class Choose>
double mean(const std::vector<KoalaRow>& rows, double KoalaRow::*figure, bool is_unreliable, Choose choose) {
  double sum = 0, jobs = 0;
  for (const KoalaRow& row : rows) {
    if (row.is_unreliable != is_unreliable || !choose(row)) continue;
    sum += row.*figure * static_cast<double>(row.jobs);
    jobs += static_cast<double>(row.jobs);
  }
  return jobs > 0 ? sum / jobs : 0;
}

std::vector<PlacedClaim> koala_claims_of(const KoalaOutcome& outcome) {
  const auto high = [](const KoalaRow& row) { return row.is_high; };
  const auto low = [](const KoalaRow& row) { return !row.is_high; };
  const auto few = [](const KoalaRow& row) { return row.components <= 3; };
  const auto many = [](const KoalaRow& row) { return row.components >= 6; };
  const auto all = [](const KoalaRow&) { return true; };
  const auto of = [&](double KoalaRow::*figure, auto choose) { return mean(outcome.rows, figure, true, choose); };
  bool all_finished = true;
  for (const KoalaRun& run : outcome.runs) all_finished &= run.finished == run.jobs;
  return {
      {"all jobs complete", all_finished},
      {"on stable hosts less than 15 % of the attempts fail",
       mean(outcome.rows, &KoalaRow::failed_share, false, all) < 0.15},
      {"jobs with many components fail more often",
       of(&KoalaRow::failed_share, many) > of(&KoalaRow::failed_share, few)},
      {"jobs of high priority fail more often",
       of(&KoalaRow::failed_share, high) > of(&KoalaRow::failed_share, low)},
      {"most jobs are co-allocated", of(&KoalaRow::coallocated_share, all) > 0.5},
      {"jobs with many components are placed later",
       of(&KoalaRow::placement_seconds, many) > of(&KoalaRow::placement_seconds, few)},
      {"jobs of high priority are placed sooner",
       of(&KoalaRow::placement_seconds, high) < of(&KoalaRow::placement_seconds, low)},
      {"the start delay grows with the number of components",
       of(&KoalaRow::start_delay_seconds, many) > of(&KoalaRow::start_delay_seconds, few)},
      {"jobs of high priority have smaller start delays",
       of(&KoalaRow::start_delay_seconds, high) < of(&KoalaRow::start_delay_seconds, low)},
  };
}

}  // namespace

KoalaOutcome koala_experiment(const KoalaSettings& settings,
                              const std::function<void(bool, std::size_t)>& progress) {
  KoalaOutcome outcome;
  for (const bool is_unreliable : {false, true}) {
    const PlacedWorkload workload = workload_of(settings, is_unreliable);
    const PlacedOutcome placed = run_placed_workload(workload, [&](std::size_t ended) {
      if (progress) progress(is_unreliable, ended);
    });
    KoalaRun& run = outcome.runs.emplace_back();
    run = {is_unreliable, workload.jobs.size(), 0,
           placed.used,   placed.used_locally,  placed.length.in_seconds() / 3600};
    for (const KoalaKind& kind : koala_kinds)
      for (const bool is_high : {true, false}) {
        KoalaRow& row = outcome.rows.emplace_back();
        row.is_unreliable = is_unreliable;
        row.processors = kind.processors;
        row.components = kind.components;
        row.is_high = is_high;
        fill(row, workload, placed);
        run.finished += row.finished;
      }
  }
  outcome.claims = koala_claims_of(outcome);
  return outcome;
}

}  // namespace dmm
