// A workload for a whole grid from the Lublin-Feitelson model: one stream of jobs a cluster, each with chance of
// its own, calibrated to the load that its cluster shall be offered over a given period, and merged. Nothing is
// stored: a stream is drawn when it is read.
//
// Load is work over capacity: the sum of processors x run time of the jobs submitted in the period, run times
// whole even where they reach beyond its end, over processors x period. The nominal load is what the model's
// expectation is set to, by the gaps between arrivals; the realised one is that of the jobs drawn. They differ
// much over a day, since few long jobs carry most of the work. And over a day the mean of the realised loads is
// above the nominal one, by 4 to 16 % (512 processors at 0.98, 64 at 0.1): gaps vary so much (coefficient of
// variation 7 and more) that a period which starts with a gap of its own has more arrivals than its length over
// their mean. Over months both differences vanish. What may be done about them is in LoadCorrection.
//
// Run times are known to the users: the estimate is the run time. A job's user is drawn evenly from the users of
// its cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/outcome.hpp"
#include "workloads/job_stream.hpp"
#include "workloads/lublin.hpp"
#include "workloads/workload.hpp"

namespace dmm {

/// Which jobs the model makes.
enum class LublinVariant : std::uint8_t {
  grid,   ///< 95 % serial (lublin_grid), for grids
  all,    ///< the publication's typeless set, for parallel machines
  types,  ///< its interactive and batch jobs, each arriving independently
};

/// What to do with a stream whose realised load is off by more than the tolerance.
enum class LoadCorrection : std::uint8_t {
  none,
  /// Draw another with the next seed, until one is near enough, or attempts_max are drawn: then the nearest is
  /// taken. The jobs of a stream keep their law, and streams with unusual loads are left out.
  reject,
  /// Stretch or squeeze all times of arrival by one factor such that the jobs that arrive in the period are those
  /// that make up the load, to within the last of them. The day is stretched with them; a stream that would need
  /// more than a factor of stretch_max is drawn again.
  rescale,
};

struct ModelOptions {
  std::vector<std::uint32_t> cluster_processors{};  ///< of each cluster, from cluster 0; at least 1
  LublinVariant variant = LublinVariant::grid;
  /// Nominal load of each cluster, 1 for all that it can do; one entry stands for all clusters. 0: the arrivals of
  /// the publication, whatever load they give.
  std::vector<double> loads = {0.7};
  std::int64_t period_seconds = 86400;  ///< jobs are submitted from 0 (a midnight) until before this
  std::uint64_t seed = 1;
  std::uint32_t users_per_cluster = 1;
  LoadCorrection correction = LoadCorrection::reject;
  double tolerance = 0.1;  ///< of the realised load, as a share of the nominal one
  std::uint32_t attempts_max = 200;

  static constexpr double stretch_max = 2;
};

/// What became of the model for one cluster.
struct ModelCluster {
  std::uint32_t processors = 0;
  std::vector<LublinParameters> kinds;  ///< fitted and calibrated
  double nominal_load = 0;
  double realised_load = 0;
  double expected_jobs = 0;         ///< over the period
  std::uint64_t jobs = 0;           ///< over the period, drawn
  std::uint32_t attempts = 1;       ///< streams drawn until this one
  double stretch = 1;               ///< of the times of arrival
  bool is_within_tolerance = true;  ///< of the realised load
};

/// The model, ready to be read as often as wanted: every stream() gives the same jobs.
class ModelWorkload {
 public:
  /// An error: a cluster without processors or users, no clusters, a load that the model can't offer, a number of
  /// loads that is neither 1 nor that of the clusters, or a period, tolerance or number of attempts of 0 or less.
  static OrFault<ModelWorkload, WorkloadError> make(const ModelOptions& options);

  /// All clusters' jobs by submit time, ties by cluster. May be read after this object is gone.
  JobStream stream() const;
  /// The jobs of one cluster alone.
  JobStream stream_of(std::uint32_t cluster) const;

  const std::vector<ModelCluster>& clusters() const { return clusters_; }
  double nominal_load() const;   ///< of the whole grid
  double realised_load() const;  ///< of the whole grid

 private:
  explicit ModelWorkload(const ModelOptions& options) : options_(options) {}

  ModelOptions options_;
  std::vector<ModelCluster> clusters_;
  std::vector<std::uint64_t> seeds_;  ///< of the streams that were chosen
};

}  // namespace dmm
