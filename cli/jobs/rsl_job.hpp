// A request in RSL (rsl.hpp) as one job: each conjunction is a component, and all run one program. Attributes that mean
// the same in DMM are taken; a warning names each other one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job_file.hpp"

namespace dmm {

struct RslJob {
  JobDescription job;
  std::string input_file;             ///< its standard input; empty: not given
  std::vector<std::string> warnings;  ///< "job.rsl line 3: ...", each attribute once
};

/// The job of a text; `file` only appears in faults. A fault has the line and the column.
OrFault<RslJob, JobFault> parse_rsl_job(std::string_view text, const std::string& file);

}  // namespace dmm
