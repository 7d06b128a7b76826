// What keeps a job away from everything else on the host: a pid namespace, in which it sees and signals nothing but
// itself, and a mount namespace, in which the state folder with its ledgers, the keeper's socket and the other jobs'
// directories isn't there. Made by the kernel for any account where it permits user namespaces, else for root alone.
#pragma once

#include <string>

#include <sys/types.h>

namespace dmm::keeper {

struct Isolation {
  bool namespaces = false;  ///< pid and mount
  bool user = false;        ///< in a user namespace, with the account's own number; needs no privilege
};

/// Finds out what is permitted here, with a child or two that try it out, in an open state folder. `why` says what
/// kept it from more.
Isolation find_isolation(const std::string& state, std::string& why);

/// Forks as this isolation wants it: 0 in the child, the child's number, or -1 with errno.
pid_t fork_into(const Isolation& isolation);

/// What `isolate` needs, prepared by whoever forks: the child must not allocate memory.
struct Hiding {
  std::string state;      ///< the state folder
  std::string jobs;       ///< the jobs' folder in it
  std::string directory;  ///< that the job still sees: its own in `jobs`, or `jobs` itself
  std::string user_map;
  std::string group_map;
};
Hiding hiding_of(const std::string& state, const std::string& directory);

/// In the child of fork_into, as the first process of its namespaces: makes what it sees of the host its own.
/// System calls only. 0 or an errno.
int isolate(const Isolation& isolation, const Hiding& hiding);

}  // namespace dmm::keeper
