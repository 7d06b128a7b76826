// Whether the daemons of a testbed are connected: every site to its neighbours, every node offered to its site, every
// job manager in contact with its site.
#pragma once

#include <string>

#include "cli/managers/registry.hpp"
#include "cli/terminal/interrupts.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct Readiness {
  std::string fault;  ///< what was missing last; empty: all are ready
};

/// Asks the site managers until all are connected, for at most `at_most` or until an interrupt.
Readiness wait_until_linked(const Testbed& testbed, const Topology& topology, Duration at_most,
                            Interrupts& interrupts);

}  // namespace dmm
