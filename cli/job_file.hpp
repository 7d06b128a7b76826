// A job as a user writes it down: a JSON file, or the options of `dmm submit`. Both end as one JobDescription,
// checked by the same rules. docs/operations.md has the keys of the file.
#pragma once

#include <string>
#include <vector>

#include "cli/managers.hpp"
#include "protocol/messages.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// What is wrong with a job: names the file, the field and the rule.
struct JobFault {
  std::string text;
};

/// A job from its file. `named`, if any, gets the full names of jobs that it depends on (job_conditions.hpp).
OrFault<JobDescription, JobFault> read_job_file(const std::string& path, std::vector<JobName>* named = nullptr);
/// The same from text; `file` is only named in faults.
OrFault<JobDescription, JobFault> parse_job_file(const std::string& text, const std::string& file,
                                                 std::vector<JobName>* named = nullptr);

}  // namespace dmm
