// What `dmm submit --check` tells of jobs: all that would be submitted, in the words of a job file. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// A paragraph for each job: its command, its size, and what isn't as it would be unsaid.
std::string jobs_as_text(const std::vector<JobDescription>& jobs, const Style& style);

/// {"jobs": [...]} with the keys of a job file. Of a script and of input there are the numbers of bytes.
nlohmann::ordered_json jobs_as_json(const std::vector<JobDescription>& jobs);

}  // namespace dmm
