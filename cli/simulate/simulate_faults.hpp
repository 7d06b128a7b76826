// `dmm simulate --faults`: random grids in which everything goes wrong that can, checked after every step.
#pragma once

#include <cstdint>
#include <string>

namespace dmm {

struct FaultsChoice {
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::uint32_t sites = 0;    ///< 0: drawn
  std::uint32_t nodes = 0;    ///< in all; 0: drawn
  double minutes = 0;         ///< that jobs and troubles come for; 0: as in the tests
  bool co_allocated = false;  ///< each job has several components
  bool alike = false;         ///< each site has one cluster, all as large
  bool keyed = false;         ///< managers prove link keys
  bool files = false;         ///< jobs have input files
  std::string trace;          ///< the file for everything that happens
  bool json = false;
};

/// The exit code: 0 if nothing was broken.
int simulate_faults(const FaultsChoice& choice);

}  // namespace dmm
