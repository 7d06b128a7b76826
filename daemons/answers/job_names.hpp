// Jobs as questions name them: 17, or "17_3" for the element of array 17 that has index 3.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "jobmgr/job_manager.hpp"
#include "protocol/or_fault.hpp"

namespace dmm::views {

/// The number of the job that the value names; or why it names no job.
OrFault<std::uint64_t, std::string> job_of(const JobManager& jobs, const nlohmann::ordered_json& value);

/// The same for an argument's "job". `verb` is for the text of a fault.
OrFault<std::uint64_t, std::string> job_in(const JobManager& jobs, const nlohmann::ordered_json& argument,
                                           const std::string& verb);

}  // namespace dmm::views
