// How a resource manager starts its keeper, or finds a live one, and waits for it: the system calls of the `process`
// backend.
#pragma once

#include <string>

#include <sys/types.h>

#include "protocol/time.hpp"

namespace dmm::keeper {

/// The arguments of the keeper.
struct KeeperArguments {
  std::string executable;
  std::string directory;
  Duration keep;
  Duration lock_wait;
  bool fresh = false;    ///< the jobs' directories in the folder are of another manager, and are removed
  bool outlive = false;  ///< it goes on without the manager
};

/// A keeper and the connection to it.
struct LiveKeeper {
  pid_t process = 0;
  int handle = -1;          ///< of the process, readable when it has ended; the caller's
  int socket = -1;          ///< non-blocking, the caller's
  std::string fault = {};   ///< empty if all is well, or there is none to connect to
  std::string secret = {};  ///< lets a manager in
};

/// Makes the state folder if it is missing and its path absolute; sets an empty executable to `keeper` beside the
/// running program. What went wrong, or an empty text.
std::string find_paths(std::string& directory, std::string& executable);

/// Starts the keeper in a session of its own, with only the socket and standard error open; a keeper that outlives the
/// manager gets no standard error.
LiveKeeper start(const KeeperArguments& arguments);

/// Connects to the keeper that lives in a folder; the socket is -1 if no keeper listens there yet. The folder and the
/// keeper must be of this account, and the keeper none of its jobs.
LiveKeeper connect_to(const std::string& directory);

/// Whether a keeper holds the folder's lock.
bool is_locked(const std::string& directory);

/// The process id of the last keeper that held the folder's lock, for people.
std::string holder_of(const std::string& directory);

/// Waits until a process has ended, and kills it if it takes longer than this. Closes the handle. Returns a child's
/// status, as waitpid gives it, and nothing of another process.
std::optional<int> wait_for_end(pid_t process, int handle, int milliseconds);

/// Whether the descriptor became readable in time.
bool wait_readable(int descriptor, int milliseconds);

}  // namespace dmm::keeper
