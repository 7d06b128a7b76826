// What `dmm submit` will submit: jobs, made from options and from the files that they name; or why there are none. Asks
// no manager.
#pragma once

#include <string>
#include <vector>

#include "cli/jobs/job_conditions.hpp"
#include "cli/jobs/job_file.hpp"
#include "cli/jobs/submit_options.hpp"
#include "cli/managers/managers.hpp"

namespace dmm {

struct SubmitPlan {
  SubmitOptions options;  ///< those of the script's head included
  std::vector<JobDescription> jobs;
  std::vector<std::string> warnings;  ///< for people, a line each
  std::vector<JobName> named;         ///< jobs that these depend on, by their full names
};

/// Reads all files that the options name. `command` has parsed the options, and knows which were given.
OrFault<SubmitPlan, JobFault> plan_submission(const CLI::App& command, const SubmitOptions& options);

}  // namespace dmm
