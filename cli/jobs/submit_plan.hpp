// What `dmm submit` is to submit: jobs, made of options and of the files that they name, or why there are none.
// Says nothing to a manager.
#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_conditions.hpp"
#include "cli/jobs/job_file.hpp"
#include "cli/jobs/submit_options.hpp"
#include "cli/managers/managers.hpp"

namespace dmm {

struct SubmitPlan {
  SubmitOptions options;  ///< with what a script says of itself
  std::vector<JobDescription> jobs;
  std::vector<std::string> warnings;  ///< for people, a line each
  std::vector<JobName> named;         ///< jobs on which they depend, by their full names
};

/// Reads all that the options name. `command` has parsed them: it says which were given.
OrFault<SubmitPlan, JobFault> plan_submission(const CLI::App& command, const SubmitOptions& options);

}  // namespace dmm
