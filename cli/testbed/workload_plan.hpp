// A workload laid over a topology: which job manager gets which job when, in real seconds. Pure. Jobs that don't fit
// are reported before anything is started.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"
#include "topologies/topology.hpp"
#include "workloads/multicluster.hpp"

namespace dmm {

struct PlannedJob {
  std::uint64_t number = 0;   ///< its number in the trace
  std::uint32_t cluster = 0;  ///< its cluster in the workload
  std::size_t manager = 0;    ///< index in WorkloadPlan::managers
  double at_seconds = 0;      ///< real, from the first submission
  double run_seconds = 0;     ///< real
  std::uint32_t processors = 0;
};

struct WorkloadPlan {
  std::vector<Party> managers;     ///< the job managers that get jobs
  std::vector<PlannedJob> jobs;    ///< by time
  double longest_run_seconds = 0;  ///< real
};

/// `speedup` divides submit times and run times. A fault (exit code 2) names `file` if a job's cluster doesn't exist or
/// has no user, or if a job is wider than every cluster.
OrFault<WorkloadPlan, CommandFault> plan_workload(const Topology& topology, const Workload& workload,
                                                  double speedup, const std::string& file);

/// The description of a planned job: a program that sleeps for its run time, on the processors that the job had.
JobDescription description_of(const PlannedJob& job, std::uint32_t dttl);

}  // namespace dmm
