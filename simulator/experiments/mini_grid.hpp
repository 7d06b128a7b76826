// The comparison of Jones et al. 2004, section 5 and figures 3 to 8: mean turnaround in a mini-grid of 2, 4 or 8
// clusters. It compares no sharing, migration only, and best-fit co-allocation (bfff), where jobs suffer no penalty,
// a fixed penalty, or that of the links they share. It returns rows of figures; the caller draws them.
//
// Stated by the paper and kept: sizes, arrivals, run times, K, the links, FCFS_SCAN (section 5.1).
//
// Not stated, and so declared here: the range of the bisection bandwidth, and how long a run is beyond its 4,000,000
// jobs a cluster (ours has fewer). The bandwidths can be read only from the paper's figures. Our runs are measured
// from the empty grid to the last end.
//
// An overloaded setting has no mean: its rows grow with the length of the run. So both sweeps go upwards, and end
// with the first row above no sharing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/intercluster/execution.hpp"

namespace dmm {

/// The curves of the figures.
enum class MiniGridCurve : std::uint8_t {
  no_sharing,
  migration_only,
  no_penalty,     ///< NO_COMM_PENALTY: bfff over links without limits
  fixed_penalty,  ///< bfff, over a range of penalties
  shared_links,   ///< BFFF_DYNAMIC_COMM, over a range of bisection bandwidths
  fed_penalty,    ///< BFFF_FIXED_COMM: bfff with the mean penalty of the row of shared_links before it
};
/// The curve's name in tables: "shared_links".
std::string_view to_text(MiniGridCurve curve);

struct MiniGridSettings {
  std::vector<std::uint32_t> clusters = {2, 4, 8};  ///< one comparison each
  std::uint64_t jobs_per_cluster = 400'000;
  std::uint32_t processors = 100;  ///< of each cluster
  double link_megabits = 1000;
  double computation_share = 0.7;  ///< K
  std::vector<double> penalties = {1.10, 1.15, 1.20, 1.25, 1.30, 1.35, 1.40, 1.45, 1.50};
  /// Bisection bandwidths of the jobs in megabits a second; empty: default_bisections.
  std::vector<double> bisections = {};
  std::uint64_t seed = 1;
};

/// One run.
struct MiniGridRow {
  std::uint32_t clusters = 0;
  MiniGridCurve curve = MiniGridCurve::no_sharing;
  double bisection_megabits = 0;      ///< of shared_links and fed_penalty
  double penalty = 1;                 ///< of co-allocated jobs: mean ratio of run time to that within one cluster
  double turnaround_seconds = 0;      ///< mean of all jobs
  double standard_error_seconds = 0;  ///< of that mean, from the means of 20 batches in the order of the ends
  double coallocated_share = 0;       ///< of all jobs
  std::uint64_t jobs = 0;             ///< finished jobs
};

/// Where a curve of bfff crosses a bound.
struct MiniGridCrossing {
  std::uint32_t clusters = 0;
  MiniGridCurve curve = MiniGridCurve::fixed_penalty;   ///< or shared_links
  MiniGridCurve bound = MiniGridCurve::migration_only;  ///< or no_sharing
  double penalty = 0;                                   ///< the acceptable penalty; 0 if the curve doesn't cross
};

/// The acceptable penalties that Jones et al. 2004 read from their figures (section 6.1), for both models together.
/// The lower end is for shared links, the upper end for the fixed penalty.
struct MiniGridReference {
  std::uint32_t clusters = 0;
  double paper_migration_least = 0, paper_migration_most = 0;
  double paper_no_sharing_least = 0, paper_no_sharing_most = 0;
};

/// For the numbers of clusters for which the paper states them.
std::span<const MiniGridReference> mini_grid_references();

/// Bisection bandwidths from where links of 1000 megabits a second are seldom full to where bfff is overloaded. They
/// are multiples of 200 megabits a second divided by the number of clusters, since with more clusters jobs meet more
/// often on a link.
std::vector<double> default_bisections(std::uint32_t clusters);

/// Runs an architecture (no-sharing, migration-only, bfff) under one execution model and returns its figures.
MiniGridRow mini_grid_run(const MiniGridSettings& settings, std::uint32_t clusters, MiniGridCurve curve,
                          const Execution& execution);

/// The whole comparison. Calls `done` with every row as it is ready.
std::vector<MiniGridRow> mini_grid(const MiniGridSettings& settings,
                                   const std::function<void(const MiniGridRow&)>& done = {});

/// The crossings of both curves with both bounds, as far as the rows contain them. Between two rows the logarithm of
/// the turnaround is taken to be linear in the penalty.
std::vector<MiniGridCrossing> mini_grid_crossings(std::span<const MiniGridRow> rows);

}  // namespace dmm
