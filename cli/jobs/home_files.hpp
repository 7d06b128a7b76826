// Files at home: paths on this host, as a job names them.
#pragma once

#include <string>

#include "protocol/input_files.hpp"
#include "protocol/output_files.hpp"

namespace dmm {

/// The path as an absolute one; empty stays empty.
std::string absolute_here(const std::string& path);

/// Makes the paths of input files on this host absolute and stores their sizes. Or says why one of them can't be read.
WhyNot find_at_home(InputFiles& files);
/// Makes the paths of output files absolute.
void place_at_home(OutputFiles& files);

}  // namespace dmm
