// A workload for a whole grid from the Lublin-Feitelson model. Each cluster has a stream of jobs with random numbers
// of its own, calibrated to the load that the cluster is to be offered over a period. The streams are merged. Nothing
// is stored: a stream is drawn when it is read.
//
// Load is work over capacity. Work is the sum of processors x run time of the jobs submitted in the period, with
// whole run times even where they reach beyond its end. Capacity is processors x period. The nominal load is the
// expectation that the gaps between arrivals are set to; the realised load is that of the jobs drawn.
//
// Over a day the two differ much, since few long jobs carry most of the work. Over a day the mean of the realised
// loads also is 4 to 16 % above the nominal load (512 processors at 0.98, 64 at 0.1). The cause is the variation of
// the gaps (coefficient 7 and more): a period that begins with a fresh gap has more arrivals than its length divided
// by the mean gap. Over months both differences vanish. LoadCorrection says what can be done about them.
//
// Users know their run times: the estimate is the run time. A job's user is drawn evenly from the users of its
// cluster.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/or_fault.hpp"
#include "workloads/job_stream.hpp"
#include "workloads/lublin.hpp"
#include "workloads/recorded_job.hpp"

namespace dmm {

/// Which jobs the model makes.
enum class LublinVariant : std::uint8_t {
  grid,   ///< 95 % serial (lublin_grid), for grids
  all,    ///< the publication's typeless set, for parallel machines
  types,  ///< its interactive and batch jobs, each arriving independently
};

/// What to do with a stream if its realised load is off by more than the tolerance.
enum class LoadCorrection : std::uint8_t {
  none,
  /// Draw another stream with the next seed until its load is near enough. After attempts_max streams take the
  /// nearest. The jobs of a stream keep their law, but streams with unusual loads are left out.
  reject,
  /// Multiply all arrival times by a factor such that the jobs in the period make up the load, to within the last
  /// job. The daily cycle is stretched with them. A stream that needs more than a factor of stretch_max is drawn
  /// again.
  rescale,
};

struct ModelOptions {
  std::vector<std::uint32_t> cluster_processors{};  ///< of each cluster, from cluster 0; at least 1
  LublinVariant variant = LublinVariant::grid;
  /// Nominal load of each cluster, where 1 is its whole capacity. A single entry stands for all clusters. 0: the
  /// arrivals of the publication, whatever load they give.
  std::vector<double> loads = {0.7};
  std::int64_t period_seconds = 86400;  ///< jobs are submitted from 0 (a midnight) until before this
  std::uint64_t seed = 1;
  std::uint32_t users_per_cluster = 1;
  LoadCorrection correction = LoadCorrection::reject;
  double tolerance = 0.1;  ///< of the realised load, as a share of the nominal one
  std::uint32_t attempts_max = 200;

  static constexpr double stretch_max = 2;
};

/// The model's outcome for one cluster.
struct ModelCluster {
  std::uint32_t processors = 0;
  std::vector<LublinParameters> kinds;  ///< fitted and calibrated
  double nominal_load = 0;
  double realised_load = 0;
  double expected_jobs = 0;         ///< over the period
  std::uint64_t jobs = 0;           ///< over the period, drawn
  std::uint32_t attempts = 1;       ///< streams drawn, with this one
  double stretch = 1;               ///< of the times of arrival
  bool is_within_tolerance = true;  ///< of the realised load
};

/// The model. It can be read any number of times: every stream() gives the same jobs.
class ModelWorkload {
 public:
  /// An error: a cluster without processors or users, no clusters, a load that the model can't offer, or a number of
  /// loads that is neither 1 nor that of the clusters. Also a period, tolerance or number of attempts of 0 or less.
  static OrFault<ModelWorkload, WorkloadError> make(const ModelOptions& options);

  /// All clusters' jobs by submit time, ties by cluster. The stream can outlive this object.
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
