// Programs started through the agents of the job, from inside the job: an MPI launcher calls it instead of ssh; also
// `dmm exec`.
#pragma once

#include <string>
#include <vector>

#include "resmgr/backends/process/go_text.hpp"

namespace dmm::launcher {

/// The variable that names the file of the job's contacts, a line for each task.
inline constexpr const char* agents_variable = "DMM_AGENTS";

/// As `ssh HOST WORDS...`: the words, with spaces between, for the shell there. Options of ssh at the front of `words`
/// are ignored. The exit code.
int run_remote(const std::vector<std::string>& words);
/// Starts the program once on each node of the job, and waits for all. The greatest exit code.
int run_on_each_node(const std::vector<std::string>& program);
/// Tells the agents of all tasks but the first that the job's program is over.
void finish_agents(const LaunchOrder& order);

}  // namespace dmm::launcher
