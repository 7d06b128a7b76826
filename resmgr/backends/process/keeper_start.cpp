// Starting the keeper with posix_spawn: the manager may be large and have threads, so it is not forked. Finding a live
// keeper by its lock and its socket.
#include "resmgr/backends/process/keeper_start.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/address.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/leftovers.hpp"

namespace dmm::keeper {
namespace {

// mkdir -p; the next use of the folder shows faults.
void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0700);
    if (end == std::string::npos) return;
  }
}

std::string absolute(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  const std::string result = resolved ? resolved : "";
  std::free(resolved);
  return result;
}

int handle_of(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

std::string folder_fault(int folder, const std::string& directory) {
  struct stat facts {};
  if (folder < 0 || fstat(folder, &facts) != 0) return "can't open " + directory + ": " + std::strerror(errno);
  return facts.st_uid == geteuid() ? "" : directory + " belongs to another account";
}

// Fills in the process that listens. Returns what is wrong with it, or an empty text.
std::string identify(LiveKeeper& link, const std::string& directory) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const std::string fault = directory + '/' + socket_name + " belongs to ";
  if (getsockopt(link.socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
    return fault + "another account";
  if (Marks(directory).owner_of(peer.pid) != 0)
    return fault + "a job (process " + std::to_string(peer.pid) + "), which took the keeper's place";
  link.process = peer.pid;
  link.handle = handle_of(peer.pid);
  return {};
}

// The secret of the last keeper that listened there; a keeper writes it before it listens.
std::string secret_in(int folder) {
  char text[128];
  const int file = openat(folder, secret_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = read(file, text, sizeof text);
  close(file);
  return std::string(text, count > 0 ? static_cast<std::size_t>(count) : 0);
}

int spawn_keeper(pid_t& process, const char* const* arguments, int socket, bool outlive) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  // A program that reads the manager's output to its end must not wait for the keeper.
  if (outlive) posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, socket, 3);
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &all);  // the keeper ignores all signals
  const int error =
      posix_spawn(&process, arguments[0], &files, &attributes, const_cast<char* const*>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

std::string find_paths(std::string& directory, std::string& executable) {
  if (directory.empty()) return "no folder is given for the jobs";
  make_folders(directory);
  const std::string found = absolute(directory);
  if (found.empty()) return "can't make or enter " + directory + ": " + std::strerror(errno);
  directory = found;
  if (executable.empty()) {
    const std::string self = absolute("/proc/self/exe");
    executable = self.substr(0, self.rfind('/') + 1) + "keeper";
  }
  if (access(executable.c_str(), X_OK) != 0) return "can't run " + executable + ": " + std::strerror(errno);
  return {};
}

LiveKeeper start(const KeeperArguments& arguments) {
  LiveKeeper started;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    started.fault = std::string("can't make a socket pair: ") + std::strerror(errno);
    return started;
  }
  const std::string keep = std::to_string(arguments.keep.microseconds);
  const std::string lock_wait = std::to_string(arguments.lock_wait.microseconds);
  const std::string version = std::to_string(frames_version);
  const char* const words[] = {arguments.executable.c_str(),
                               arguments.directory.c_str(),
                               keep.c_str(),
                               lock_wait.c_str(),
                               arguments.fresh ? "fresh" : "resume",
                               arguments.outlive ? "outlive" : "end",
                               version.c_str(),
                               nullptr};
  const int error = spawn_keeper(started.process, words, ends[1], arguments.outlive);
  close(ends[1]);
  started.socket = ends[0];
  if (error != 0) {
    close(ends[0]);
    return {.fault = "can't run " + arguments.executable + ": " + std::strerror(error)};
  }
  started.handle = handle_of(started.process);  // of a child, which keeps its number until it was waited for
  return started;
}

LiveKeeper connect_to(const std::string& directory) {
  const int folder = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  LiveKeeper link;
  link.fault = folder_fault(folder, directory);
  if (link.fault.empty()) {
    link.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const sockaddr_un address = socket_address(folder);
    const bool found = connect(link.socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (found) link.fault = identify(link, directory);
    if (found) link.secret = secret_in(folder);
    if (!found || !link.fault.empty()) close(std::exchange(link.socket, -1));
  }
  if (folder >= 0) close(folder);
  return link;
}

bool is_locked(const std::string& directory) {
  const int file = open((directory + '/' + lock_name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0;
  close(file);
  return locked;
}

std::string holder_of(const std::string& directory) {
  char text[32];
  const int file = open((directory + '/' + lock_name).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return "unknown";
  const ssize_t count = read(file, text, sizeof text);
  close(file);
  return std::string(text, count > 1 ? static_cast<std::size_t>(count - 1) : 0);  // less the end of the line
}

std::optional<int> wait_for_end(pid_t process, int handle, int milliseconds) {
  if (handle < 0) {
    kill(process, SIGKILL);  // it is a child: other processes have a handle
  } else {
    if (!wait_readable(handle, milliseconds)) syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
    close(handle);
  }
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) continue;
  return ended == process ? std::optional(status) : std::nullopt;
}

bool wait_readable(int descriptor, int milliseconds) {
  pollfd polled{descriptor, POLLIN, 0};
  int count = 0;
  while ((count = poll(&polled, 1, milliseconds)) < 0 && errno == EINTR) continue;
  return count > 0;
}

}  // namespace dmm::keeper
