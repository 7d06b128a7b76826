// Files of the submission: paths here, as a job names them.
#pragma once

#include <string>

#include "protocol/input_files.hpp"
#include "protocol/output_files.hpp"

namespace dmm {

/// The path as it is from any folder; empty stays so.
std::string absolute_here(const std::string& path);

/// Makes the paths of input files here absolute, and notes their sizes; or why one of them can't be read.
WhyNot find_at_home(InputFiles& files);
/// Makes the paths of output files absolute.
void place_at_home(OutputFiles& files);

}  // namespace dmm
