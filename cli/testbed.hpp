// Brings a testbed up: derives every daemon's file from a topology, starts all of them at once, and waits until
// each is ready, the sites are linked and every node is offered. If anything goes wrong nothing is left running.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/interrupts.hpp"
#include "cli/registry.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct TestbedOptions {
  std::string topology;                ///< the file
  std::string name;                    ///< empty: the topology's
  double speedup = 1;                  ///< divides the cycles of the sites
  std::vector<std::string> overrides;  ///< "key.key=value" of the topology
  bool owned = false;                  ///< the daemons end when this process does
  bool count_messages_by_request = false;
};

/// Why a testbed is not up, and the exit code for that: 2 if a file is wrong, 1 if the machine is, 128 + n if
/// signal n came meanwhile.
struct TestbedFault {
  std::string text;
  int exit_code = 1;
};

/// A topology with its overrides, or what is wrong with it (exit code 2).
std::variant<Topology, TestbedFault> load_topology(const TestbedOptions& options);

/// A running testbed of that topology, or why there is none.
std::variant<Testbed, TestbedFault> bring_up(const Topology& topology, const TestbedOptions& options,
                                             Interrupts& interrupts);

/// The last lines of what a daemon wrote before it ended.
std::string last_words(const TestbedDaemon& daemon, std::size_t lines = 5);

}  // namespace dmm
