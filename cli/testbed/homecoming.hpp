// Whether every node is idle at its owner again: no site has a lease, and no resource manager has a task or an
// assignment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/managers/registry.hpp"
#include "cli/terminal/interrupts.hpp"

namespace dmm {

struct Homecoming {
  std::uint64_t nodes_away =
      0;  ///< nodes that their resource managers don't call free, or that couldn't be asked about
  std::vector<std::string> reasons;  ///< one line each; empty: all nodes are home
  bool all() const { return nodes_away == 0 && reasons.empty(); }
};

/// Asks all managers until every node is home, for at most `at_most` or until another interrupt.
Homecoming wait_until_home(const Testbed& testbed, Duration at_most, Interrupts& interrupts);

}  // namespace dmm
