// Options of Slurm's sbatch as options of `dmm submit`, where they mean the same; for scripts that were written
// for Slurm. Pure.
//
// Slurm counts tasks and lays them over nodes. DMM grants processors of whole nodes and runs the script once: so
// counts of tasks become a count of processors, and how they were to lie on nodes is told to be left out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/jobs/directive.hpp"

namespace dmm {

/// Something to tell of a line.
struct SlurmRemark {
  std::size_t line = 0;
  std::string text;
};

struct SlurmTranslation {
  std::vector<Directive> directives;  ///< options of `dmm submit`
  std::vector<SlurmRemark> warnings;  ///< in the order of the lines, one for each option
  SlurmRemark fault;                  ///< an empty text: there is none
};

/// The options of all #SBATCH lines, in their order.
SlurmTranslation from_slurm(const std::vector<Directive>& options);

/// Slurm's lengths of time in seconds: "30", "30:00", "1:30:00", "2-12", "2-12:30", "2-12:30:00"; 0 for "0",
/// "INFINITE" and "UNLIMITED". False for all else, and beyond a thousand years.
bool read_slurm_time(const std::string& text, std::uint64_t& seconds);

/// Slurm's sizes of memory in MiB, rounded up: "512", "512K", "2G", "1T". False for all else.
bool read_slurm_memory(const std::string& text, std::uint64_t& mebibytes);

}  // namespace dmm
