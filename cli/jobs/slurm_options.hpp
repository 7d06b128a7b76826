// Options of Slurm's sbatch as options of `dmm submit`, where they mean the same: for scripts that were written for
// Slurm. Pure.
//
// Slurm counts tasks and distributes them over nodes. DMM grants processors of whole nodes and runs the script once. So
// counts of tasks become a count of processors, and a warning says that their distribution over nodes is ignored.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/jobs/directive.hpp"

namespace dmm {

/// A warning or a fault about one line.
struct SlurmRemark {
  std::size_t line = 0;
  std::string text;
};

struct SlurmTranslation {
  std::vector<Directive> directives;  ///< options of `dmm submit`
  std::vector<SlurmRemark> warnings;  ///< in the order of the lines, one for each option
  SlurmRemark fault;                  ///< no fault if its text is empty
};

/// The options of all #SBATCH lines, in their order.
SlurmTranslation from_slurm(const std::vector<Directive>& options);

/// Slurm's lengths of time in seconds: "30", "30:00", "1:30:00", "2-12", "2-12:30", "2-12:30:00"; 0 for "0", "INFINITE"
/// and "UNLIMITED". False for any other text, and beyond a thousand years.
bool read_slurm_time(const std::string& text, std::uint64_t& seconds);

/// Slurm's sizes of memory in MiB, rounded up: "512", "512K", "2G", "1T". False for any other text.
bool read_slurm_memory(const std::string& text, std::uint64_t& mebibytes);

}  // namespace dmm
