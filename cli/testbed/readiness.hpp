// Whether the parts of a testbed have found one another: every site linked to its neighbours, every node offered
// to its site, every job manager in contact.
#pragma once

#include <string>

#include "cli/managers/registry.hpp"
#include "cli/terminal/interrupts.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct Readiness {
  std::string fault;  ///< what was missing last; empty: all are ready
};

/// Asks the site managers until all is there, at most so long, or until an interrupt.
Readiness wait_until_linked(const Testbed& testbed, const Topology& topology, Duration at_most,
                            Interrupts& interrupts);

}  // namespace dmm
