// What is checked before a job is accepted, and the memory of what was accepted. A client that didn't
// hear the answer asks again: it gets the same numbers again and no second set of jobs.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobmgr/records.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// Why none of these jobs can be accepted, naming the first that can't; empty if all can.
WhyNot fault_of(const Submit& submit);

/// How many jobs they are, elements of arrays included.
std::size_t jobs_of(const Submit& submit);

/// Answers that were given, by the client that asked and the token of the question. The oldest are dropped.
class Submissions {
 public:
  explicit Submissions(std::size_t remembered_max) : remembered_max_(remembered_max) {}

  const Submitted* find(const Party& client, std::uint64_t token) const;
  /// Returns the one that was dropped for it, if any.
  std::optional<SubmissionRecord> remember(const Party& client, const Submitted& answer);
  std::size_t size() const { return answers_.size(); }
  std::vector<SubmissionRecord> records() const;

 private:
  using Question = std::pair<std::uint64_t, Party>;  ///< the token first: it costs less to compare
  using Answers = std::map<Question, Submitted>;
  std::size_t remembered_max_;
  Answers answers_;
  std::list<Answers::iterator> order_;  ///< oldest first
};

}  // namespace dmm
