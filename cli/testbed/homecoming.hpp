// Whether every node is idle at its owner again: no lease at any site, nothing running or assigned at any resource
// manager.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/managers/registry.hpp"
#include "cli/terminal/interrupts.hpp"

namespace dmm {

struct Homecoming {
  std::uint64_t nodes_away =
      0;  ///< nodes that their resource managers don't call free, or that can't be asked about
  std::vector<std::string> reasons;  ///< one line each; empty: all is home
  bool all() const { return nodes_away == 0 && reasons.empty(); }
};

/// Asks everybody until all is home, at most so long or until a further interrupt.
Homecoming wait_until_home(const Testbed& testbed, Duration at_most, Interrupts& interrupts);

}  // namespace dmm
