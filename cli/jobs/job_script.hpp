// Options in the head of a script: lines `#DMM --option value` and `#SBATCH --option value` before its first command.
// Pure: text in, options of `dmm submit` out.
//
// `#DMM` takes the options of `dmm submit` as they are. `#SBATCH` takes those of Slurm's sbatch: options with the same
// meaning here are translated (slurm_options.hpp), and a warning names each other one. Where both say the same thing,
// `#DMM` wins; of two lines of one kind, the later one wins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/directive.hpp"

namespace dmm {

struct JobScript {
  std::vector<Directive> directives;  ///< options of `dmm submit`, those of lower precedence first
  std::vector<std::string> warnings;  ///< "job.sh line 3: ...", each once
  std::string fault;                  ///< "job.sh line 3: ... expected ..."; empty: there is none
};

/// Reads the head of a script; `file` only appears in faults.
JobScript read_job_script(std::string_view text, const std::string& file);

/// The words of a line as a shell splits it: at blanks, which '...', "..." and \ keep, up to a word that begins with #.
/// False if a quotation doesn't end.
bool split_words(std::string_view line, std::vector<std::string>& words);

}  // namespace dmm
