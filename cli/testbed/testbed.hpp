// Brings up a testbed: derives every daemon's file from a topology, starts all daemons at once, and waits until each is
// ready, the sites are linked and every node is offered. After a failure no daemon is left running.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/registry.hpp"
#include "cli/terminal/interrupts.hpp"
#include "protocol/or_fault.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct TestbedOptions {
  std::string topology;                ///< the file
  std::string name;                    ///< empty: the topology's
  double speedup = 1;                  ///< divides the cycles of the sites
  std::vector<std::string> overrides;  ///< "key.key=value" of the topology
  bool owned = false;                  ///< the daemons end when this process does
  bool count_messages_by_request = false;
  int first_port =
      0;  ///< the first tcp port on this machine, instead of sockets in the testbed's folder; 0: sockets
  std::string first_host;  ///< with tcp: the first of one address for each site; empty: all on 127.0.0.1
};

/// Why a testbed isn't up, and the exit code: 2 if a file is wrong, 1 if the machine failed, 128 + n after signal n.
struct TestbedFault {
  std::string text;
  int exit_code = 1;
};

/// The topology with the overrides of the options, or what is wrong with it (exit code 2).
OrFault<Topology, TestbedFault> load_topology(const TestbedOptions& options);

/// A running testbed of that topology, or why there is none.
OrFault<Testbed, TestbedFault> bring_up(const Topology& topology, const TestbedOptions& options,
                                        Interrupts& interrupts);

/// Ends one daemon, by SIGTERM or at once by SIGKILL, and starts it again with the same file, so that it continues from
/// its ledger. Waits until it is ready, or says why it isn't.
std::optional<TestbedFault> restart_daemon(Testbed& testbed, std::size_t daemon, bool kill);

/// The last lines that a daemon wrote before it ended.
std::string last_words(const TestbedDaemon& daemon, std::size_t lines = 5);

}  // namespace dmm
