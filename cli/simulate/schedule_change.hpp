// "TIME=NAME" as a change of the architecture in the middle of a simulation.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"
#include "simulator/architectures/run.hpp"

namespace dmm {

OrFault<SchedulerChange, CommandFault> parse_change(const std::string& text);
/// By time; of equal times the one that was named first comes first.
void sort_changes(std::vector<SchedulerChange>& changes);

}  // namespace dmm
