// Each cluster's stream is drawn once to measure its load, and again whenever it is read. Drawing again costs less
// time than storing ten million jobs costs memory.
#include "workloads/model.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "workloads/lublin_theory.hpp"
#include "workloads/merge.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

constexpr std::uint32_t processors_max = 10'000'000;
constexpr std::int64_t period_seconds_max = 10'000'000'000;  // 317 years

std::vector<LublinParameters> kinds_of(LublinVariant variant, std::uint32_t processors) {
  std::vector<LublinParameters> kinds;
  switch (variant) {
    case LublinVariant::grid: kinds = {lublin_grid()}; break;
    case LublinVariant::all: kinds = {lublin_all()}; break;
    case LublinVariant::types: kinds = {lublin_interactive(), lublin_batch()}; break;
  }
  for (LublinParameters& kind : kinds) kind = fitted_to(kind, processors);
  return kinds;
}

double work_seconds(const LublinJob& job) { return static_cast<double>(job.run_seconds) * job.processors; }

/// The load and jobs of a stream, measured in one pass.
struct Realised {
  std::uint64_t jobs = 0;
  double work_seconds = 0;
  double stretch = 1;
};

/// As the stream is drawn: all jobs before the end of the period.
Realised realised_by(LublinMix mix, std::int64_t period_seconds) {
  Realised realised;
  for (LublinJob job = mix.next(); job.submit_seconds < period_seconds; job = mix.next()) {
    ++realised.jobs;
    realised.work_seconds += work_seconds(job);
  }
  return realised;
}

/// With arrival times multiplied such that the jobs in the period make up the work; without jobs if that isn't
/// possible within stretch_max. The job that reaches the work counts if that brings the sum nearer to it.
Realised rescaled(LublinMix mix, std::int64_t period_seconds, double wanted_work_seconds) {
  const auto period = static_cast<double>(period_seconds);
  Realised realised;
  while (true) {
    const LublinJob job = mix.next();
    const auto submit = static_cast<double>(job.submit_seconds);
    if (submit > period * ModelOptions::stretch_max) return {};
    const double missing = wanted_work_seconds - realised.work_seconds;
    // Without this job the stream is nearest to the load: the period's end moves to just behind this job, which isn't
    // handed out.
    if (work_seconds(job) > 2 * missing && submit > period / ModelOptions::stretch_max) {
      realised.stretch = period / (submit + 1);  // + 1 s, since earlier jobs can have the same second
      return realised;
    }
    ++realised.jobs;
    realised.work_seconds += work_seconds(job);
    if (realised.work_seconds > 2 * wanted_work_seconds) return {};
  }
}

std::optional<std::string> fault_of(const ModelOptions& options) {
  const std::size_t clusters = options.cluster_processors.size();
  if (clusters == 0) return "a model workload needs a cluster; expected at least one";
  for (const std::uint32_t processors : options.cluster_processors) {
    if (processors == 0 || processors > processors_max) {
      return "a cluster of " + std::to_string(processors) + " processors; expected 1 to " +
             std::to_string(processors_max);
    }
  }
  if (options.loads.size() != 1 && options.loads.size() != clusters) {
    return std::to_string(options.loads.size()) + " loads for " + std::to_string(clusters) +
           " clusters; expected one for all, or one for each";
  }
  for (const double load : options.loads) {
    if (!(load >= 0 && std::isfinite(load))) return "a load of " + std::to_string(load) + "; expected 0 or more";
  }
  if (options.period_seconds <= 0 || options.period_seconds > period_seconds_max) {
    return "a period of " + std::to_string(options.period_seconds) + " s; expected 1 to " +
           std::to_string(period_seconds_max);
  }
  if (options.users_per_cluster == 0) return "no users; expected at least 1 for each cluster";
  if (!(options.tolerance > 0)) return "a tolerance of 0 or less; expected for example 0.1";
  if (options.attempts_max == 0) return "no attempts; expected at least 1";
  return std::nullopt;
}

/// Draws streams until one has the load, and records its figures in the cluster. Returns the seed of the chosen
/// stream.
std::uint64_t choose_stream(const ModelOptions& options, std::uint64_t cluster_seed, LublinMix mix,
                            ModelCluster& cluster) {
  const double capacity_seconds = static_cast<double>(options.period_seconds) * cluster.processors;
  const double wanted = cluster.nominal_load * capacity_seconds;
  const std::uint32_t attempts = options.correction == LoadCorrection::none ? 1 : options.attempts_max;
  std::uint64_t best_seed = 0;
  double best_fault = std::numeric_limits<double>::infinity();
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    const std::uint64_t seed = derived_seed(cluster_seed, attempt);
    mix.restart(seed);
    Realised realised = realised_by(mix, options.period_seconds);
    double fault = std::abs(realised.work_seconds / wanted - 1);
    if (fault > options.tolerance && options.correction == LoadCorrection::rescale) {
      const Realised stretched = rescaled(mix, options.period_seconds, wanted);
      const double its_fault = std::abs(stretched.work_seconds / wanted - 1);
      if (stretched.jobs > 0 && its_fault < fault) {
        realised = stretched;
        fault = its_fault;
      }
    }
    if (attempt > 0 && fault >= best_fault) continue;
    best_fault = fault;
    best_seed = seed;
    cluster.attempts = attempt + 1;
    cluster.jobs = realised.jobs;
    cluster.stretch = realised.stretch;
    cluster.realised_load = realised.work_seconds / capacity_seconds;
    if (fault <= options.tolerance) break;
  }
  cluster.is_within_tolerance = best_fault <= options.tolerance;
  return best_seed;
}

/// One cluster's stream being read.
struct ClusterReader {
  LublinMix mix;
  Random users;
  std::uint32_t home = 0;
  std::uint32_t users_per_cluster = 1;
  std::uint64_t jobs_left = 0;
  double stretch = 1;
  std::uint64_t jobs = 0;

  std::optional<StreamJob> next() {
    if (jobs_left == 0) return std::nullopt;
    --jobs_left;
    const LublinJob drawn = mix.next();
    StreamJob job;
    job.number = ++jobs;
    job.home = home;
    job.user = static_cast<std::uint32_t>(users.below(users_per_cluster));
    const auto submit = static_cast<double>(drawn.submit_seconds) * stretch;
    job.submit = Instant{} + (stretch == 1 ? seconds(drawn.submit_seconds) : from_seconds(submit));
    job.run = seconds(drawn.run_seconds);
    job.estimate = job.run;
    job.processors = drawn.processors;
    return job;
  }
};

/// Weighted by the clusters' processors.
double mean_load(const std::vector<ModelCluster>& clusters, double ModelCluster::*load) {
  double sum = 0;
  double processors = 0;
  for (const ModelCluster& cluster : clusters) {
    sum += cluster.*load * cluster.processors;
    processors += cluster.processors;
  }
  return sum / processors;
}

/// Parameters that clusters of equal size and load share, because finding them takes some ten milliseconds.
struct AlikeClusters {
  ModelCluster cluster;
  LublinMix mix;
};

OrFault<AlikeClusters, WorkloadError> prepare(const ModelOptions& options, std::uint32_t processors, double load) {
  ModelCluster cluster;
  cluster.processors = processors;
  cluster.kinds = kinds_of(options.variant, processors);
  if (load > 0) {
    auto kinds = calibrated(cluster.kinds, processors, load);
    if (auto* const error = std::get_if<WorkloadError>(&kinds)) return *error;
    cluster.kinds = std::get<std::vector<LublinParameters>>(std::move(kinds));
  }
  for (const LublinParameters& kind : cluster.kinds) {
    const LublinExpectation expected = expectation_of(kind, processors);
    cluster.nominal_load += expected.load(processors);
    cluster.expected_jobs += static_cast<double>(options.period_seconds) / expected.mean_gap_seconds;
  }
  LublinMix mix(cluster.kinds, processors, 0);
  return AlikeClusters{std::move(cluster), std::move(mix)};
}

}  // namespace

OrFault<ModelWorkload, WorkloadError> ModelWorkload::make(const ModelOptions& options) {
  if (const std::optional<std::string> fault = fault_of(options)) return WorkloadError{*fault};
  ModelWorkload workload(options);
  std::map<std::pair<std::uint32_t, double>, AlikeClusters> alike;
  for (std::size_t i = 0; i < options.cluster_processors.size(); ++i) {
    const std::uint32_t processors = options.cluster_processors[i];
    const double load = options.loads.size() == 1 ? options.loads.front() : options.loads[i];
    auto known = alike.find({processors, load});
    if (known == alike.end()) {
      auto prepared = prepare(options, processors, load);
      if (auto* const error = std::get_if<WorkloadError>(&prepared))
        return WorkloadError{"cluster " + std::to_string(i) + ": " + error->text};
      known = alike.emplace(std::pair(processors, load), std::get<AlikeClusters>(std::move(prepared))).first;
    }
    ModelCluster cluster = known->second.cluster;
    workload.seeds_.push_back(choose_stream(options, derived_seed(options.seed, i), known->second.mix, cluster));
    workload.clusters_.push_back(std::move(cluster));
  }
  return workload;
}

JobStream ModelWorkload::stream_of(std::uint32_t cluster) const {
  const ModelCluster& its = clusters_[cluster];
  const std::uint64_t seed = seeds_[cluster];
  auto reader = std::make_shared<ClusterReader>(ClusterReader{.mix = LublinMix(its.kinds, its.processors, seed),
                                                              .users = Random(derived_seed(seed, UINT64_MAX)),
                                                              .home = cluster,
                                                              .users_per_cluster = options_.users_per_cluster,
                                                              .jobs_left = its.jobs,
                                                              .stretch = its.stretch});
  return [reader] { return reader->next(); };
}

JobStream ModelWorkload::stream() const {
  std::vector<JobStream> streams;
  for (std::uint32_t cluster = 0; cluster < clusters_.size(); ++cluster) streams.push_back(stream_of(cluster));
  return merged(std::move(streams));
}

double ModelWorkload::nominal_load() const { return mean_load(clusters_, &ModelCluster::nominal_load); }

double ModelWorkload::realised_load() const { return mean_load(clusters_, &ModelCluster::realised_load); }

}  // namespace dmm
