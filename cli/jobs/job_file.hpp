// Jobs as a user writes them into a JSON file: one, or several with their common keys above them. They become
// JobDescriptions, checked by the same rules as the options of `dmm submit`. docs/jobs.md lists the keys.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/managers/managers.hpp"
#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// What is wrong with a job: names the file, the field and the rule.
struct JobFault {
  std::string text;
};

/// The jobs of a file; at least one. `named`, if given, gets the full names of jobs that they depend on
/// (job_conditions.hpp).
OrFault<std::vector<JobDescription>, JobFault> read_job_file(const std::string& path,
                                                             std::vector<JobName>* named = nullptr);
/// The same from text; `file` only appears in faults.
OrFault<std::vector<JobDescription>, JobFault> parse_job_file(const std::string& text, const std::string& file,
                                                              std::vector<JobName>* named = nullptr);

/// The most that a job's processors can send to one another, in megabits a second.
constexpr double communication_max = 1'000'000;
/// The same unit as in JobDescription: kilobits a second.
inline std::uint32_t kilobits(double megabits) { return static_cast<std::uint32_t>(megabits * 1000 + 0.5); }

/// All keys that an object of a job file may have.
std::set<std::string> keys_of_job_files();

}  // namespace dmm
