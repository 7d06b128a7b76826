// A user's order about jobs that are named one by one: `dmm cancel`, `dmm hold`, `dmm release`, `dmm alter`.
#pragma once

#include <string>
#include <vector>

#include "cli/managers/managers.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {

/// An order, and the words that tell its result.
struct JobOrder {
  const char* verb;       ///< of the command and of the message to the job manager
  const char* key;        ///< of the answer: the list of jobs that the order changed
  const char* done;       ///< for people, about such a job
  const char* unchanged;  ///< for people, about a job that exists and didn't change; cancelling has none
};

/// Sends the order to the job manager of each job, with the other arguments in `argument`, and prints the results.
/// Returns the exit code: 2 at the first text that names no job, 1 if an order failed.
int order_each(const JobOrder& order, const std::vector<std::string>& jobs, const ManagerOptions& options,
               const Json& argument, bool as_json);

}  // namespace dmm
