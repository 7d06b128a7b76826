// Jobs as a user writes them down in a JSON file: one, or several with what they share above them. They end as
// JobDescriptions, checked by the same rules as the options of `dmm submit`. docs/operations.md has the keys of
// the file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/managers/managers.hpp"
#include "protocol/messages.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// What is wrong with a job: names the file, the field and the rule.
struct JobFault {
  std::string text;
};

/// The jobs of a file; at least one. `named`, if any, gets the full names of jobs that they depend on
/// (job_conditions.hpp).
OrFault<std::vector<JobDescription>, JobFault> read_job_file(const std::string& path,
                                                             std::vector<JobName>* named = nullptr);
/// The same from text; `file` is only named in faults.
OrFault<std::vector<JobDescription>, JobFault> parse_job_file(const std::string& text, const std::string& file,
                                                              std::vector<JobName>* named = nullptr);

/// Of what a job's processors send to one another, in megabits a second.
constexpr double communication_max = 1'000'000;
/// The same as jobs have it, in kilobits a second.
inline std::uint32_t kilobits(double megabits) { return static_cast<std::uint32_t>(megabits * 1000 + 0.5); }

/// All keys that the object of a job, or of several, may have.
std::set<std::string> keys_of_job_files();

}  // namespace dmm
