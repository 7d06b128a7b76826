// The synthetic workload of Jones et al. 2004, section 5.1. Each cluster independently has Poisson arrivals,
// exponential run times, and sizes that are uniform over the whole numbers of a range. The seed determines
// everything.
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

/// The jobs of all clusters by submit time. A cluster's jobs don't depend on the number of clusters.
JobStream mini_grid_jobs(const MiniGridWorkload& workload);

/// Offered load of one cluster with `processors`: mean size x mean run / (mean interarrival x processors).
double mini_grid_load(const MiniGridWorkload& workload, std::uint32_t processors);

}  // namespace dmm
