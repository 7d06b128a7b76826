// The process between the keeper and a job: the keeper's child, and the parent of the job's leader. It waits where the
// keeper must not: until the leader has entered a folder and run a file that a user named. Both may lie on a file
// system that never answers. In namespaces of the job's own it is their first process: it reaps what the job leaves
// behind, nothing in there can end it, and everything in there ends with it.
//
// The keeper sends it signals: SIGTERM asks the job to end, SIGUSR1 kills its leader's group, SIGKILL everything. It
// reports events in words, see resmgr/keeper/words.hpp. When the leader has ended it ends, too, unless all of the job
// was asked to end and has time left: the rest of its namespaces may use that time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/isolation.hpp"
#include "resmgr/keeper/words.hpp"

namespace dmm::keeper {

/// The needs of the shim, prepared by the keeper: the shim runs on a copy of the keeper's memory, and must not
/// allocate.
struct ShimPlan {
  std::uint64_t serial = 0;
  Isolation isolation;
  Hiding hiding;
  Account account;           ///< of the leader; the shim stays under the keeper's, out of the job's reach
  std::vector<char*> paths;  ///< these three end with a null pointer
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string directory;  ///< where the program runs
  std::array<std::pair<int, rlimit>, 8> limits{};
  std::size_t limit_count = 0;
  rlimit mark{};
  int input = -1, output = -1, error = -1;  ///< the program's own
  int words = -1;
  int cgroup = -1;        ///< the file that takes the job's processes; -1 for none
  int launcher = -1;      ///< a launcher's socket to the keeper; -1 for none
  bool warns_all = true;  ///< SIGTERM goes to all of the job, not to its leader alone
};

/// Never returns.
[[noreturn]] void run_shim(const ShimPlan& plan);

}  // namespace dmm::keeper
