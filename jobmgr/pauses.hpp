// Jobs that wait a while before they are asked for again, after an interruption (reruns.hpp).
#pragma once

#include <optional>

#include "jobmgr/job.hpp"
#include "manager/assert.hpp"
#include "manager/times.hpp"

namespace dmm {

class Pauses {
 public:
  void begin(Job& job, Instant until) {
    DMM_ASSERT(job.state == JobState::waiting && !job.run && job.again_at == never);
    times_.set(job.again_at, job.number, until);
  }
  /// After a restart: the job goes on with its pause, if its `again_at` is set.
  void restore(const Job& job) {
    DMM_ASSERT(job.again_at == never || job.state == JobState::waiting);
    times_.restore(job.again_at, job.number);
  }
  void end(Job& job) {
    DMM_ASSERT(job.state == JobState::waiting && !job.run);
    times_.set(job.again_at, job.number, never);
  }
  /// The first job that has paused for long enough; it stays until its pause is ended.
  std::optional<std::uint64_t> due(Instant now) const { return times_.due(now); }
  Instant next_deadline() const { return times_.next_deadline(); }
  bool contains(const Job& job) const { return times_.contains(job.again_at, job.number); }
  std::size_t size() const { return times_.size(); }

 private:
  Times<std::uint64_t> times_;  ///< every Job::again_at
};

}  // namespace dmm
