// How a resource manager starts its keeper and waits for it: the operating system's part of the `process` backend.
#pragma once

#include <string>

#include <sys/types.h>

#include "protocol/time.hpp"

namespace dmm::keeper {

/// What the keeper is told on its command line.
struct KeeperArguments {
  std::string executable;
  std::string directory;
  Duration keep;
  Duration lock_wait;
  bool fresh = false;  ///< the jobs' directories in the folder are another manager's, to be removed
};

struct StartedKeeper {
  pid_t process = 0;
  int socket = -1;    ///< non-blocking, the caller's
  std::string fault;  ///< empty if it was started
};

/// Makes the state folder if it is missing and its path absolute; sets an empty executable to `keeper` beside the
/// running program. What went wrong, or nothing.
std::string find_paths(std::string& directory, std::string& executable);

/// Starts the keeper in a session of its own, with nothing open but the socket and standard error.
StartedKeeper start(const KeeperArguments& arguments);

/// Waits until a child has ended, and for its status; kills it if it takes longer than this.
void wait_for_end(pid_t process, int milliseconds);

/// Whether the descriptor became readable in time.
bool wait_readable(int descriptor, int milliseconds);

}  // namespace dmm::keeper
