// A workload from what live job managers wrote into their logs: when each job was submitted, how many processors it
// asked for, how long it ran. So the settings of a site can be tried on its own past.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"
#include "simulator/architectures/grid.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

struct Recording {
  std::shared_ptr<const std::vector<StreamJob>> jobs;  ///< by submit time; the first one at 0
  std::uint64_t without_end = 0;                       ///< left out: nothing says how long they ran
  std::uint64_t without_home = 0;  ///< left out: no cluster of their site is wide enough, or the site isn't here
};

/// Reads the logs (*.jsonl, in the directory or its folder "logs") of job managers. A job belongs to the first cluster
/// of its site, by the names in the grid ("site" or "site/cluster"), that holds it. Times are multiplied by `speedup`:
/// a testbed may have run that much faster than the work it stands for.
OrFault<Recording, CommandFault> read_recording(const std::string& directory, const Grid& grid, double speedup);

JobStream stream_of(const Recording& recording);

}  // namespace dmm
