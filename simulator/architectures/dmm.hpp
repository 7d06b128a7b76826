// The architecture `dmm`: no model, but the managers themselves in virtual time (simulator/world/world.hpp), message
// for message, with a workload. The users of a cluster's site submit its jobs, as in a testbed.
#pragma once

#include <optional>

#include "simulator/architectures/run.hpp"
#include "topologies/topology.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

/// Settings beside those of the topology, where each site has its policies.
struct DmmOptions {
  Duration latency{};                 ///< of every frame; 0 as in Iosup et al. 2007, section 5.2.4, assumption 1
  std::optional<Duration> beat = {};  ///< Beat interval of a quiet link (300 s if not set)
  std::optional<Duration> silence = {};  ///< a link silent for this long counts as down (three beats if not set)
  std::uint32_t dttl = 5;                ///< of every request
  double penalty = 0;  ///< above 0: jobs may be divided, and run longer by this on nodes of several owners
  std::uint64_t input_bytes = 0;  ///< size of each job's input file, which lies at two random sites; 0: none
};

/// Runs the workload on the topology, which must be complete (link_sites). Jobs of a cluster fail if its site has no
/// user. Lease terms are those of the topology: with terms of seconds over months of virtual time, most messages are
/// heartbeats.
SimulationTotals simulate_dmm(const Topology& topology, JobStream jobs, const DmmOptions& dmm,
                              const SimulationOptions& options, const SimulationSinks& sinks);

}  // namespace dmm
