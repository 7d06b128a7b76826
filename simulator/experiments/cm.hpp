// The experiment of Sonmez et al. 2006, sections 5 and 6: worst fit, cluster minimisation and flexible cluster
// minimisation place the same jobs on five clusters, whose links make a job slower with each further cluster.
//
// Stated by the paper and kept: the working processors of the clusters, sizes and numbers of components, 200 jobs
// with mean gaps of 80 s (W1) and 40 s (W2), a background of 15 to 20 %. Given in a figure only, and so measured
// on our own testbed (bench/cm.py): how long a job runs by the number of its clusters. Different in DMM: a request
// is tried when anything changes rather than every four seconds.
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
  /// How many times as long the programs run in two clusters, in three, in four and more: measured by bench/cm.py,
  /// but for laplace in three clusters, which lies between its neighbours.
  std::vector<double> laplace_slowdowns = {1.08, 1.13, 1.17};
  std::vector<double> heat_slowdowns = {2.03, 2.49, 2.67};
  double background = 0.175;  ///< of each cluster
};

/// Means over the jobs of all repetitions.
struct CmRow {
  std::string_view policy;  ///< "worst_fit", "cm", "fcm"
  double gap_seconds = 0;   ///< 80: W1; 40: W2
  double response_seconds = 0, wait_seconds = 0, execution_seconds = 0;
  double clusters = 0;                 ///< that a job combines
  std::vector<double> cluster_shares;  ///< of the jobs, by how many clusters they combine, from 1
  double used = 0, used_locally = 0;   ///< mean fractions of all processors
  std::uint64_t jobs = 0, finished = 0;
};

struct CmOutcome {
  std::vector<CmRow> rows;
  std::vector<PlacedClaim> claims;  ///< of figure 7
};

CmOutcome cm_experiment(const CmSettings& settings, const std::function<void(const CmRow&)>& done = {});

}  // namespace dmm
