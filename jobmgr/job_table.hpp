// All jobs of the job manager, by number and by state. The one place where a job's state changes, so that the sets
// by state, and with them the counts, are always right and nothing has to be walked to list or count.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "jobmgr/job.hpp"
#include "manager/dense.hpp"
#include "manager/lookup.hpp"

namespace dmm {

class JobTable {
 public:
  /// Adds a job; its number is new.
  Job& add(Job job);
  /// Adds a job of before a restart, in the state it was in.
  Job& restore(Job job);
  Job* find(std::uint64_t number);
  const Job* find(std::uint64_t number) const;
  /// Lets something happen to a job; that it can happen in the job's state is asserted.
  void change(Job& job, JobEvent event);
  /// Numbers of the jobs in a state, in order: from `from` on, at most `most` of them.
  std::vector<std::uint64_t> in(JobState state, std::uint64_t from = 0, std::size_t most = SIZE_MAX) const;
  /// How many are in a state.
  std::size_t count(JobState state) const { return counts_[static_cast<std::size_t>(state)]; }
  /// Jobs that ever came to a state; forgotten ones too. Of an array its elements count.
  std::uint64_t ever(JobState state) const { return ever_[static_cast<std::size_t>(state)]; }
  std::size_t size() const { return jobs_.size(); }
  std::size_t open() const;
  /// The ended job with the lowest number; nullptr if no job has ended.
  Job* oldest_ended();
  /// Forgets this job, if it has ended.
  bool forget(std::uint64_t number);
  const DenseMap<std::uint64_t, std::unique_ptr<Job>>& all() const { return jobs_; }

 private:
  Job& insert(Job job);
  void note_ever(const Job& job, JobState state);
  void enter(const Job& job);
  void leave(const Job& job);

  DenseMap<std::uint64_t, std::unique_ptr<Job>> jobs_;
  // Those with an attempt are few, change their states most and are listed together.
  LookupSet<std::uint64_t> with_attempt_;
  std::array<DenseSet<std::uint64_t>, job_state_count> by_state_;  ///< the others
  std::array<std::size_t, job_state_count> counts_{};
  std::array<std::uint64_t, job_state_count> ever_{};
};

}  // namespace dmm
