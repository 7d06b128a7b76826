// A workload laid over a topology: which job goes when to whose job manager, in real seconds. Pure. What doesn't
// fit is told before anything is started.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/messages.hpp"
#include "protocol/outcome.hpp"
#include "topologies/topology.hpp"
#include "workloads/multicluster.hpp"

namespace dmm {

struct PlannedJob {
  std::uint64_t number = 0;   ///< of the trace
  std::uint32_t cluster = 0;  ///< of the workload
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

/// `speedup` divides submit and run times. A fault (exit code 2) if a job's cluster doesn't exist, has no user, or
/// a job is wider than every cluster; `file` is named in it.
OrFault<WorkloadPlan, CommandFault> plan_workload(const Topology& topology, const Workload& workload,
                                                  double speedup, const std::string& file);

/// What is submitted for a planned job: a program that sleeps for its run time, on as many processors as it had.
JobDescription description_of(const PlannedJob& job, std::uint32_t dttl);

}  // namespace dmm
