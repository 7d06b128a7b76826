// "TIME=NAME": a change of the architecture during a simulation.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"
#include "simulator/architectures/run.hpp"

namespace dmm {

OrFault<SchedulerChange, CommandFault> parse_change(const std::string& text);
/// Sorts by time; changes at the same time keep their order.
void sort_changes(std::vector<SchedulerChange>& changes);

}  // namespace dmm
