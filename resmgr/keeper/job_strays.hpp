// The strays of jobs: which job each belongs to, and how they are asked to end or killed. A stray is a process that a
// job left behind, now a child of the keeper (see Strays).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/leftovers.hpp"
#include "resmgr/keeper/running_job.hpp"
#include "resmgr/keeper/strays.hpp"

namespace dmm::keeper {

class JobStrays {
 public:
  explicit JobStrays(const Marks& marks) : marks_(marks) {}

  /// Knows the keeper's children that are no strays.
  using Expected = std::function<bool(pid_t)>;
  std::vector<pid_t> list(const Expected& expected) const { return strays_.list(expected); }
  /// Whether to look now, in case a SIGCHLD was missed: every change among strays sends one.
  bool are_due(Clock time) const;
  Clock next_look() const;
  /// Kills the strays of jobs that should be gone, and those of no job. Returns the jobs that have strays, each with
  /// the stray that can't be killed.
  std::map<std::uint64_t, std::string> kill_due(const RunningJobs& jobs, Clock time, const Expected& expected);
  /// Asks all processes of a job to end.
  void ask_to_end(std::uint64_t serial, const RunningJob& job, const Expected& expected) const;

 private:
  Marks marks_;
  Strays strays_;
  Clock looked_at_ = 0;  // when strays were last looked for
};

/// Kills a stray with its group, and the leader's group if it is in that. Returns 0 or an errno.
int kill_stray(pid_t stray, const RunningJob* job);

}  // namespace dmm::keeper
