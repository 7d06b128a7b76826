// An order of a user about jobs that are named one by one: `dmm cancel`, `dmm hold`, `dmm release`, `dmm alter`.
#pragma once

#include <string>
#include <vector>

#include "cli/managers/managers.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {

/// An order, and how it is told what came of it.
struct JobOrder {
  const char* verb;       ///< also of the message to the job manager
  const char* key;        ///< of the answer: the list of jobs of which the order made something else
  const char* done;       ///< for people, of such a job
  const char* unchanged;  ///< for people, of another one that was there; cancelling leaves none
};

/// Puts the order to the job manager of each job, with what `argument` says beside the job, and tells what came of
/// it. Returns the exit code: 2 at the first text that names no job, 1 if an order wasn't obeyed.
int order_each(const JobOrder& order, const std::vector<std::string>& jobs, const ManagerOptions& options,
               const Json& argument, bool as_json);

}  // namespace dmm
