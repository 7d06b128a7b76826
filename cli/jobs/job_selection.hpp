// Which jobs a command is about: `dmm queue` lists them, `dmm cancel` takes them back. By state, name and time of
// submission; whose they are is a matter of which job managers are asked (managers.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/managers/questions.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// As on the command line.
struct SelectionOptions {
  std::vector<std::string> states;  ///< --state; none: all that wait or run
  bool all = false;                 ///< --all
  std::string name;                 ///< --name: a pattern with * and ?
  std::string since, until;         ///< --since, --until: of the submission

  /// Whether anything narrows it down.
  bool narrows() const { return !states.empty() || !name.empty() || !since.empty() || !until.empty(); }
};

/// Adds --state, --name, --since and --until; `all` says what --all means to this command.
void add_selection_options(CLI::App& command, SelectionOptions& options, const std::vector<std::string>& states,
                           const std::string& all);

/// The states of a job that isn't over.
const std::vector<std::string>& open_job_states();
/// All of them.
const std::vector<std::string>& job_states();

/// A moment in seconds since 1970: "2h" before `now` (also s, min, d), or a UTC date as "2026-11-23" or
/// "2026-11-23 18:30". Nothing if it is neither.
std::optional<double> parse_moment(const std::string& text, double now);

class JobSelection {
 public:
  static OrFault<JobSelection, CommandFault> make(const SelectionOptions& options, double now);

  /// What to ask job managers for.
  const std::vector<std::string>& states() const { return states_; }
  bool takes(const ToldJob& job) const;

 private:
  std::vector<std::string> states_;
  std::string name_;
  std::optional<double> since_, until_;
};

}  // namespace dmm
