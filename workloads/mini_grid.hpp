// The synthetic workload of Jones et al. 2004, section 5.1: for each cluster independently, Poisson arrivals,
// exponential run times, and sizes that are uniform over the whole numbers of a range. Everything follows from the
// seed.
#pragma once

#include <cstdint>

#include "protocol/time.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

struct MiniGridWorkload {
  std::uint32_t clusters = 2;
  std::uint64_t jobs_per_cluster = 4'000'000;
  Duration mean_interarrival = seconds(150);  ///< of one cluster
  Duration mean_run = seconds(225);           ///< within one cluster
  std::uint32_t processors_least = 10;
  std::uint32_t processors_most = 90;
  std::uint64_t seed = 1;
};

/// The jobs of all clusters by submit time. A cluster's own jobs are the same whatever the number of clusters.
JobStream mini_grid_jobs(const MiniGridWorkload& workload);

/// Offered load of one cluster of so many processors: mean processors x mean run / (interarrival x processors).
double mini_grid_load(const MiniGridWorkload& workload, std::uint32_t processors);

}  // namespace dmm
