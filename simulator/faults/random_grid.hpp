// Everything about a random run that is drawn from its seed before it begins: the grid, how its sites behave, what
// its users want, and what goes wrong when (fault_plan.hpp).
#pragma once

#include "simulator/faults/random_run.hpp"

namespace dmm {

/// For co-allocated jobs: more sites have more links to keep up, but no more jobs at once.
constexpr std::uint32_t co_allocated_sites_max = 5;

struct RandomOptions {
  Trouble trouble = Trouble::harsh;
  std::uint32_t sites_max = 12;
  std::uint32_t sites = 0;  ///< exact number of sites; 0: drawn
  std::uint32_t nodes = 0;  ///< approximate number of nodes in all; 0: drawn
  /// Jobs and faults come during this time. A longer run than an hour has as many as a run of one hour, and all times
  /// are stretched: in days, jobs run for hours and days.
  Duration length = seconds(100);
  double jobs = 1;  ///< factor on the usual number of jobs
  /// Each job has several components; the largest cluster holds one of them. There are many jobs, and they run only
  /// for a moment.
  bool co_allocated = false;
  /// Each site has one cluster, and all clusters have one size. Then most co-allocated jobs fit at some two sites, so
  /// a second of computing tests many of them.
  bool alike = false;
  /// Managers prove link keys, which expire, are exchanged and revoked.
  bool keyed = false;
  /// Half of the jobs have input files, which arrive after a while or never.
  bool files = false;
  bool skips_quiet = true;  ///< see WorldSettings
};

RandomRun draw(std::uint64_t seed, const RandomOptions& options = {});
/// Harsh for most seeds, gentle for some, life or none for a few.
Trouble trouble_of(std::uint64_t seed);

}  // namespace dmm
