// The copies of a program that one task runs: one for each of its nodes, or of its processors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resmgr/backends/process/go_text.hpp"

namespace dmm {

/// The variables of a copy: DMM_COMPONENT, DMM_RANK, DMM_RANKS.
std::vector<std::string> rank_variables(std::uint32_t component, std::uint32_t rank, std::uint32_t ranks);

/// Starts the copies and waits for them all. The first copy that fails ends the others: they get SIGTERM, and after
/// some seconds SIGKILL. Returns the status, as of waitpid, of the first that failed; 0 if none did.
int run_copies(const std::vector<std::string>& arguments, const LaunchOrder& order, Runner runner,
               const std::vector<std::string>& variables);

}  // namespace dmm
