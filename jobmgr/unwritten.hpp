// What changed since the ledger was last told, by job, so that a job that changes often in a step is written once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "jobmgr/records.hpp"
#include "manager/assert.hpp"

namespace dmm {

struct Unwritten {
  bool wanted = false;  ///< the shell keeps a ledger; else nothing is marked
  std::set<std::uint64_t> descriptions;
  std::set<std::uint64_t> progress;
  std::set<std::uint64_t> forgotten;
  std::vector<SubmissionRecord> answered;
  std::vector<SubmissionRecord> dropped;
  Grade grade = Grade::committed;

  void description(std::uint64_t job) {
    DMM_ASSERT(!forgotten.contains(job));  // numbers aren't used again
    if (wanted) descriptions.insert(job);
  }
  void change(std::uint64_t job, Grade at) {
    if (!wanted) return;
    DMM_ASSERT(!forgotten.contains(job));
    progress.insert(job);
    grade = std::max(grade, at);
  }
  void forget(std::uint64_t job) {
    const bool is_new = !wanted || forgotten.insert(job).second;
    DMM_ASSERT(is_new);
  }
  void answer(SubmissionRecord given, std::optional<SubmissionRecord> dropped_for_it) {
    if (!wanted) return;
    DMM_ASSERT(given.first_job > 0 && given.jobs > 0);
    answered.push_back(std::move(given));
    if (dropped_for_it) dropped.push_back(std::move(*dropped_for_it));
  }
};

}  // namespace dmm
