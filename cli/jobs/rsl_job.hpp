// A request in RSL (rsl.hpp) as one job: each conjunction is a component, and all run one program. What means the
// same in DMM is taken; each other attribute is named in a warning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job_file.hpp"

namespace dmm {

struct RslJob {
  JobDescription job;
  std::string input_file;             ///< what it reads from standard input; empty: nothing was said
  std::vector<std::string> warnings;  ///< "job.rsl line 3: ...", each attribute once
};

/// The job of a text; `file` is only named. A fault has the line and the column.
OrFault<RslJob, JobFault> parse_rsl_job(std::string_view text, const std::string& file);

}  // namespace dmm
