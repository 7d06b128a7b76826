// Namespaces, by the calls of clone(2), mount(2) and move_mount(2).
#include "resmgr/keeper/isolation.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

constexpr int tried_out = 0;

int write_file(const char* path, const char* text, std::size_t size) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = write(file, text, size) == static_cast<ssize_t>(size) ? 0 : errno;
  close(file);
  return error;
}

// A user namespace doesn't map the account's other groups; files that they may read stay readable.
int map_account(const Hiding& hiding) {
  if (const int error = write_file("/proc/self/setgroups", "deny", 4)) return error;
  if (const int error = write_file("/proc/self/uid_map", hiding.user_map.data(), hiding.user_map.size()))
    return error;
  return write_file("/proc/self/gid_map", hiding.group_map.data(), hiding.group_map.size());
}

// The processes of each job would be numbered from 2, and files in /tmp that programs name by their number would
// collide. So numbers go on from the first process's number outside. Not every kernel permits this; nothing depends on
// it.
void number_on(const char* number, ssize_t size) {
  if (size > 0) write_file("/proc/sys/kernel/ns_last_pid", number, static_cast<std::size_t>(size));
}

// Puts an empty folder over the state folder, with only the job's own folder in it.
int hide(const Hiding& hiding) {
  const int own = static_cast<int>(syscall(SYS_open_tree, AT_FDCWD, hiding.directory.c_str(),
                                           OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW));
  if (own < 0) return errno;
  int error = 0;
  if (mount("dmm", hiding.state.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=711,size=64k") != 0 ||
      mkdir(hiding.jobs.c_str(), 0700) != 0 || chmod(hiding.jobs.c_str(), 0711) != 0 ||
      (mkdir(hiding.directory.c_str(), 0700) != 0 && errno != EEXIST) ||
      syscall(SYS_move_mount, own, "", AT_FDCWD, hiding.directory.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
    error = errno;
  close(own);
  return error;
}

// Whether an isolated child comes to its end: 0 or an errno.
int try_out(const Isolation& isolation, const Hiding& hiding) {
  const pid_t child = fork_into(isolation);
  if (child < 0) return errno;
  if (child == 0) {
    const int error = isolate(isolation, hiding);
    _exit(error == 0 ? tried_out : error);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

}  // namespace

Isolation find_isolation(const std::string& state, std::string& why) {
  const Hiding hiding = hiding_of(state, state + "/jobs");
  int error = EPERM;
  for (const bool user : {false, true}) {
    const Isolation isolation{true, user};
    if ((error = try_out(isolation, hiding)) == 0) return isolation;
  }
  why = std::strerror(error);
  return {};
}

pid_t fork_into(const Isolation& isolation) {
  unsigned long flags = SIGCHLD;
  if (isolation.namespaces) flags |= CLONE_NEWPID | CLONE_NEWNS;
  if (isolation.user) flags |= CLONE_NEWUSER;
  return static_cast<pid_t>(syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr));
}

Hiding hiding_of(const std::string& state, const std::string& directory) {
  const auto map_of = [](unsigned number) { return std::to_string(number) + ' ' + std::to_string(number) + " 1"; };
  return {state, state + "/jobs", directory, map_of(geteuid()), map_of(getegid())};
}

int isolate(const Isolation& isolation, const Hiding& hiding) {
  char number[32];
  const ssize_t size = readlink("/proc/self", number, sizeof number);  // outside: the old /proc is still here
  if (isolation.user)
    if (const int error = map_account(hiding)) return error;
  // Later mounts outside are seen here, and not the other way round.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return errno;
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) return errno;
  number_on(number, size);
  return hide(hiding);
}

}  // namespace dmm::keeper
