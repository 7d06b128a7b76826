// What `dmm submit --check` prints about jobs: all that would be submitted, with the keys of a job file. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// A paragraph for each job: its command, its size, and everything that isn't at its default.
std::string jobs_as_text(const std::vector<JobDescription>& jobs, const Style& style);

/// {"jobs": [...]} with the keys of a job file. A script and input appear as their numbers of bytes.
nlohmann::ordered_json jobs_as_json(const std::vector<JobDescription>& jobs);

}  // namespace dmm
