// When a job becomes eligible, as users write it: WHEN of --begin and the dependencies of --dependency, in Slurm's
// forms. A job file has the same texts. Pure but for the time zone that WHEN is read in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/managers/managers.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// A user's texts about when a job becomes eligible.
struct ConditionTexts {
  bool hold = false;
  std::optional<std::string> begin, dependency;
};

/// What is wrong: "begin" or "dependency", and what was expected.
struct ConditionFault {
  const char* field;
  std::string text;
};

/// Puts the conditions into the job; `now` is in seconds since 1970. A fault if a text can't be read. `named`: as
/// below.
std::optional<ConditionFault> read_conditions(const ConditionTexts& texts, std::int64_t now, JobDescription& job,
                                              std::vector<JobName>& named);

/// Seconds from `now` (seconds since 1970) to the moment, or what was expected. Forms: "now+1hour", "now+90" (seconds),
/// "18:30", "18:30:15" (the next time that the clock shows it), "2026-11-27", "2026-11-27T08:00[:00]".
OrFault<std::uint32_t, std::string> parse_begin(const std::string& text, std::int64_t now);

/// "after:12,afterok:13:14,afterany:15": all must be met. A job is a number, or a full name as in das-0/alice/17. Full
/// names are added to `named`, to be compared with the job manager once it is known.
OrFault<RareList<Dependency>, std::string> parse_dependencies(std::string_view text, std::vector<JobName>& named);

/// Why these jobs don't belong to the job manager; empty if they do.
std::string fault_of_names(const std::vector<JobName>& named, const Party& job_manager);

}  // namespace dmm
