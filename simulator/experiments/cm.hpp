// The experiment of Sonmez et al. 2006, sections 5 and 6: worst fit, cluster minimisation and flexible cluster
// minimisation place the same jobs on five clusters. A job runs slower with each further cluster, because of the
// links.
//
// Stated by the paper and kept: the working processors of the clusters, and sizes and numbers of components. Also 200
// jobs, mean gaps of 80 s (W1) and 40 s (W2), and a background of 15 to 20 %. The paper gives run times by number of
// clusters only in a figure, so we measured them on our own testbed (bench/cm.py). Different in DMM: a request is
// tried when anything changes rather than every four seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "simulator/experiments/placed_workload.hpp"

namespace dmm {

struct CmSettings {
  std::uint64_t jobs = 200;
  std::uint64_t seed = 1;
  std::uint32_t repetitions = 10;
  double run_seconds = 100;  ///< of a job in one cluster
  /// Slowdown of the programs in two clusters, in three, and in four or more, measured by bench/cm.py. An exception
  /// is laplace in three clusters, which lies between its neighbours.
  std::vector<double> laplace_slowdowns = {1.08, 1.13, 1.17};
  std::vector<double> heat_slowdowns = {2.03, 2.49, 2.67};
  double background = 0.175;  ///< of each cluster
};

/// Means over the jobs of all repetitions.
struct CmRow {
  std::string_view policy;  ///< "worst_fit", "cm", "fcm"
  double gap_seconds = 0;   ///< 80: W1; 40: W2
  double response_seconds = 0, wait_seconds = 0, execution_seconds = 0;
  double clusters = 0;                 ///< mean number of clusters of a job
  std::vector<double> cluster_shares;  ///< shares of the jobs by number of clusters, from 1
  double used = 0, used_locally = 0;   ///< mean fractions of all processors
  std::uint64_t jobs = 0, finished = 0;
};

struct CmOutcome {
  std::vector<CmRow> rows;
  std::vector<PlacedClaim> claims;  ///< of figure 7
};

CmOutcome cm_experiment(const CmSettings& settings, const std::function<void(const CmRow&)>& done = {});

}  // namespace dmm
