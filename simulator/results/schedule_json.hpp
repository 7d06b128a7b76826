// schedule.json: the run as one object with the names of Batsim's schedule summary. Means and maxima are over
// finished jobs. Jobs count as killed if they ran when the simulation was stopped, or were cancelled while they ran.
// Jobs that never started count as rejected.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/summary.hpp"

namespace dmm {

/// The text of the file.
std::string schedule_json(const Summary& figures, std::uint64_t processors);

}  // namespace dmm
