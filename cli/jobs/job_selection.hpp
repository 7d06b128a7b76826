// Which jobs a command is about: `dmm queue` lists them, `dmm cancel` cancels them. Selects by state, name and time of
// submission. To select by user, a command asks only that user's job manager (cli/managers/managers.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/questions.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// The options of the command line.
struct SelectionOptions {
  std::vector<std::string> states;  ///< --state; none: all jobs that wait or run
  bool all = false;                 ///< --all
  std::string name;                 ///< --name: a pattern with * and ?
  std::string since, until;         ///< --since, --until: times of submission

  /// Whether any option narrows the selection.
  bool narrows() const { return !states.empty() || !name.empty() || !since.empty() || !until.empty(); }
};

/// Adds --state, --name, --since and --until; `all` says what --all means for this command.
void add_selection_options(CLI::App& command, SelectionOptions& options, const std::vector<std::string>& states,
                           const std::string& all);

/// The states of a job that hasn't ended.
const std::vector<std::string>& open_job_states();
/// All states of a job.
const std::vector<std::string>& job_states();

/// A moment in seconds since 1970: "2h" before `now` (also s, min, d), or a UTC date like "2026-11-23" or "2026-11-23
/// 18:30". Nothing if the text is neither.
std::optional<double> parse_moment(const std::string& text, double now);

class JobSelection {
 public:
  static OrFault<JobSelection, CommandFault> make(const SelectionOptions& options, double now);

  /// The states to ask job managers for.
  const std::vector<std::string>& states() const { return states_; }
  bool takes(const ToldJob& job) const;

 private:
  std::vector<std::string> states_;
  std::string name_;
  std::optional<double> since_, until_;
};

}  // namespace dmm
