// schedule.json: the run as one object with the names of Batsim's schedule summary. Means and maxima are over
// finished jobs; killed are those that ran when the simulation was stopped, or were cancelled while they ran;
// rejected those that never started.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/summary.hpp"

namespace dmm {

/// The text of the file.
std::string schedule_json(const Summary& figures, std::uint64_t processors);

}  // namespace dmm
