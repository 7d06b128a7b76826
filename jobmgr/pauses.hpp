// Jobs that wait a while before they are asked for again, after an interruption (reruns.hpp).
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "jobmgr/job.hpp"
#include "manager/assert.hpp"

namespace dmm {

class Pauses {
 public:
  void begin(Job& job, Instant until) {
    DMM_ASSERT(job.state == JobState::waiting && !job.run && job.again_at == never);
    job.again_at = until;
    restore(job);
  }
  /// The job pauses since before a restart.
  void restore(const Job& job) { times_.emplace(job.again_at, job.number); }
  void end(Job& job) {
    times_.erase({job.again_at, job.number});
    job.again_at = never;
  }
  /// The first job that has paused for long enough; it stays until its pause is ended.
  std::optional<std::uint64_t> due(Instant now) const {
    if (next_deadline() > now) return std::nullopt;
    return times_.begin()->second;
  }
  Instant next_deadline() const { return times_.empty() ? never : times_.begin()->first; }
  bool contains(const Job& job) const { return times_.contains({job.again_at, job.number}); }
  std::size_t size() const { return times_.size(); }

 private:
  std::set<std::pair<Instant, std::uint64_t>> times_;  ///< every Job::again_at
};

}  // namespace dmm
