// The architecture `dmm`: no model, but the managers themselves in virtual time (world.hpp), message for message, fed
// with a workload. Every cluster's stream is submitted by the users of its site, as in a testbed.
#pragma once

#include <optional>

#include "simulator/architectures/run.hpp"
#include "topologies/topology.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

/// What can be set beside the topology, whose sites carry every policy.
struct DmmOptions {
  Duration latency{};                 ///< of every frame; 0 as in Iosup et al. 2007, section 5.2.4, assumption 1
  std::optional<Duration> beat = {};  ///< a quiet link says so this often (300 s if nothing is set)
  std::optional<Duration> silence = {};  ///< a link that was silent for so long counts as down (three beats)
  std::uint32_t dttl = 5;                ///< of every request
  double penalty = 0;  ///< above 0: jobs may be divided, and run this much longer on nodes of several owners
  std::uint64_t input_bytes =
      0;  ///< each job reads a file of this size, which lies at two sites (by chance); 0: none
};

/// Runs the workload on the topology, which must be complete (link_sites). A stream whose site has no user fails its
/// jobs. Lease terms are the topology's: terms of seconds over months of virtual time are mostly keep-alives.
SimulationTotals simulate_dmm(const Topology& topology, JobStream jobs, const DmmOptions& dmm,
                              const SimulationOptions& options, const SimulationSinks& sinks);

}  // namespace dmm
