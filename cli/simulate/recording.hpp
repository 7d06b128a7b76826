// A workload from the logs of live job managers: when each job was submitted, how many processors it asked for, and how
// long it ran. With it the settings of a site can be tried on the site's own past.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"
#include "simulator/architectures/grid.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

struct Recording {
  std::shared_ptr<const std::vector<StreamJob>> jobs;  ///< by submit time; the first is at 0
  std::uint64_t without_end = 0;                       ///< left out: no record says how long they ran
  std::uint64_t without_home = 0;  ///< left out: their site is missing, or none of its clusters is wide enough
};

/// Reads the logs (*.jsonl, in the directory or its folder "logs") of job managers. A job belongs to the first cluster
/// of its site that is wide enough; the grid names it "site" or "site/cluster". Times are multiplied by `speedup`, by
/// which a testbed was faster than the system that it stands for.
OrFault<Recording, CommandFault> read_recording(const std::string& directory, const Grid& grid, double speedup);

JobStream stream_of(const Recording& recording);

}  // namespace dmm
