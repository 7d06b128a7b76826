// What the keeper knows of a job from its start until its end was reported.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <unordered_map>

#include <sys/types.h>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"

namespace dmm::keeper {

struct RunningJob {
  StartJob order;         // without what only the start needed
  std::string text;       // the text that its end will have
  pid_t shim = 0;         // our child
  pid_t leader = 0;       // 0 until its first word
  bool apart = false;     // in namespaces of its own
  std::string isolation;  // its own isolation, even if later jobs get another
  Clock started = 0;
  Clock start_by = endless;  // until its program runs
  Clock wall_end = endless;
  Clock kill_at = endless;  // when all of it is killed; `endless` unless it is being ended
  bool running = false;     // its program was executed
  bool began = false;       // it awaits no Go, or got it
  bool leader_ended = false;
  bool shim_ended = false;    // or rests, and has nothing to do with this job any more
  bool shim_killed = false;   // it can't take another job
  bool lost_contact = false;  // killed because its manager was not heard
  std::string stuck;          // the last report that it is stuck
  JobEnded outcome;
};

/// Kills a shim that was not waited for.
inline void kill_shim(RunningJob& job) {
  kill(job.shim, SIGKILL);
  job.shim_killed = true;
}

/// By serial number.
using RunningJobs = std::unordered_map<std::uint64_t, RunningJob>;

}  // namespace dmm::keeper
