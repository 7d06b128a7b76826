// Starting one program, without waiting for anything that a user named: see resmgr/keeper/shim.hpp.
#pragma once

#include <string>

#include <sys/resource.h>
#include <sys/types.h>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/isolation.hpp"
#include "resmgr/keeper/shim_orders.hpp"
#include "resmgr/keeper/shims.hpp"
#include "resmgr/keeper/words.hpp"

namespace dmm::keeper {

/// What a job's start needs beside the order. The caller keeps the descriptors.
struct SpawnContext {
  const std::string& state;  ///< the state folder
  const Rules& rules;
  Isolation isolation;
  rlim_t mark = 0;  ///< see Marks
  ShimFiles files{};
  int words = -1;
};

/// Has a shim start the program in a process group of its own: one that rests, or a new one. The shim's number, or 0
/// with errno.
pid_t spawn(const StartJob& job, const SpawnContext& context, Shims& shims);

/// Why a start failed, and a text that names the file.
struct StartFailure {
  StartFault fault = StartFault::none;
  std::string text;
};
StartFailure failure_of(const StartJob& job, Step step, int error);
/// The failure of a start that took too long; `entered` if the leader was about to touch what the user named.
StartFailure failure_of_silence(const StartJob& job, bool entered, std::int64_t microseconds);

}  // namespace dmm::keeper
