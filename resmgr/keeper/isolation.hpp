// The isolation of a job from the rest of the host. In a pid namespace, the job sees and signals only itself. In a
// mount namespace, it doesn't see the state folder with its ledgers, the keeper's socket and the other jobs'
// directories. The kernel makes them for any account where it permits user namespaces, else for root alone.
#pragma once

#include <string>

#include <sys/types.h>

namespace dmm::keeper {

struct Isolation {
  bool namespaces = false;  ///< pid and mount
  bool user = false;        ///< in a user namespace, with the account's own number; needs no privilege
};

/// Finds out what is permitted here, by a child or two that try it out, in an open state folder. `why` says why no more
/// is permitted.
Isolation find_isolation(const std::string& state, std::string& why);

/// Forks with this isolation: 0 in the child, the child's number, or -1 with errno.
pid_t fork_into(const Isolation& isolation);

/// The needs of `isolate`, prepared before the fork: the child must not allocate memory.
struct Hiding {
  std::string state;      ///< the state folder
  std::string jobs;       ///< the jobs' folder in it
  std::string directory;  ///< the one that the job still sees: its own in `jobs`, or `jobs` itself
  std::string user_map;
  std::string group_map;
};
Hiding hiding_of(const std::string& state, const std::string& directory);

/// In the child of fork_into, as the first process of its namespaces: makes its view of the host. System calls only. 0
/// or an errno.
int isolate(const Isolation& isolation, const Hiding& hiding);

}  // namespace dmm::keeper
