// Intake: accepting jobs. A submission is accepted as a whole or not at all; a client that repeats it gets the same
// numbers again and no second set of jobs; no two open jobs write one file unasked.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "jobmgr/job_table.hpp"
#include "jobmgr/output_paths.hpp"
#include "jobmgr/submissions.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

class Intake {
 public:
  Intake(std::uint64_t first_job, std::size_t submissions_remembered)
      : next_job_(first_job), submissions_(submissions_remembered) {}

  /// The number that the next accepted job gets.
  std::uint64_t next_job() const { return next_job_; }
  std::uint64_t new_number() { return new_numbers(1); }
  /// The first of this many consecutive numbers.
  std::uint64_t new_numbers(std::uint32_t count) { return std::exchange(next_job_, next_job_ + count); }
  /// Numbers below this one were given before a restart.
  void note_given(std::uint64_t next) { next_job_ = std::max(next_job_, next); }

  Submissions& submissions() { return submissions_; }
  const Submissions& submissions() const { return submissions_; }
  /// Whether these are the jobs that were accepted with that answer, as far as they are still known: of a job that is
  /// over neither program nor need is.
  static bool is_repeated(const Submit& submit, const Submitted& answer, const JobTable& jobs);

  /// Each of the jobs, as it will be numbered, gets its files; or none does, and this says why.
  WhyNot take_output_paths(const Submit& submit);
  /// The files of elements are their array's.
  void give_back(const Job& job) {
    if (job.array == 0) output_paths_.give_back(job.number, job.description);
  }
  void restore(const Job& job) {
    if (job.array == 0) output_paths_.restore(job.number, job.description);
  }

 private:
  std::uint64_t next_job_;
  Submissions submissions_;
  OutputPaths output_paths_;
};

}  // namespace dmm
