// What a script says of its own job: lines `#DMM --option value` and `#SBATCH --option value` before its first
// command. Pure: text in, options of `dmm submit` out.
//
// `#DMM` has options of `dmm submit` as they are. `#SBATCH` has those of Slurm's sbatch: what means the same here
// is translated (slurm_options.hpp), and each other one is named in a warning. Where both say the same thing,
// `#DMM` wins; of two lines of a kind, the later one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/directive.hpp"

namespace dmm {

struct JobScript {
  std::vector<Directive> directives;  ///< options of `dmm submit`, those of less weight first
  std::vector<std::string> warnings;  ///< "job.sh line 3: ...", each once
  std::string fault;                  ///< "job.sh line 3: ... expected ..."; empty: there is none
};

/// Reads the head of a script; `file` is only named.
JobScript read_job_script(std::string_view text, const std::string& file);

/// The words of a line as a shell splits them: at blanks, with '...', "..." and \ to keep these, up to a word that
/// begins with #. False if a quotation has no end.
bool split_words(std::string_view line, std::vector<std::string>& words);

}  // namespace dmm
