// `dmm simulate --faults`: random grids with every kind of fault, checked after every step.
#pragma once

#include <cstdint>
#include <string>

namespace dmm {

struct FaultsChoice {
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::uint32_t sites = 0;    ///< 0: random
  std::uint32_t nodes = 0;    ///< in all; 0: random
  double minutes = 0;         ///< for which jobs and faults arrive; 0: as in the tests
  bool co_allocated = false;  ///< each job has several components
  bool alike = false;         ///< each site has one cluster, all of the same size
  bool keyed = false;         ///< managers prove link keys
  bool files = false;         ///< jobs have input files
  std::string trace;          ///< the file that gets a trace of everything
  bool json = false;
};

/// Returns the exit code: 0 if no check failed.
int simulate_faults(const FaultsChoice& choice);

}  // namespace dmm
