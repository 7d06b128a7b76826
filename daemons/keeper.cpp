// keeper: the helper process beside each resource manager that runs the `process` backend; resmgr/keeper/loop.hpp says
// what it does. Started by the manager, never by people:
//
//   keeper <state folder> <keep> <lock_wait> fresh|resume end|outlive <version>
//
// `keep`: microseconds that jobs go on without the manager. `lock_wait`: microseconds to wait for the lock.
// `version`: of the frames that the manager sends (frames_version).
//
// Descriptor 3 is the socket to the manager, which sends Hello on it. The keeper is in a session of its own, so that
// Ctrl-C doesn't reach it, and blocks all signals: only the manager decides. It holds a lock on keeper.lock
// in the state folder while it lives. With `outlive`, later managers find it by keeper.socket there.
//
//   keeper <state folder> clean
//
// This ends what is left of jobs there, before the folder is removed. The exit code and standard error tell whether
// that worked.
//
// The main thread does nothing: the kernel makes it the parent of the jobs' strays, see resmgr/keeper/strays.hpp.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resmgr/keeper/address.hpp"
#include "resmgr/keeper/loop.hpp"

namespace {

using namespace dmm::keeper;

constexpr int manager_socket = 3;

struct Arguments {
  std::string state;
  Clock keep = 0;
  Clock lock_wait = 0;
  bool fresh = false;    // the jobs' directories are of another manager and are removed
  bool outlive = false;  // jobs go on without the manager
};

// Takes the lock, and waits until an earlier keeper has ended its jobs. Returns what went wrong, or an empty text. The
// descriptor is never closed: the lock goes with the process.
std::string take_lock(const Arguments& arguments, bool& locked) {
  const std::string path = arguments.state + '/' + lock_name;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return "can't open " + path + ": " + std::strerror(errno);
  for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK) return "can't lock " + path + ": " + std::strerror(errno);
    locked = tries >= arguments.lock_wait / 10'000;
    if (locked)
      return path + " is still locked after " + std::to_string(arguments.lock_wait / 1000) +
             " ms: another resource manager uses this folder, or its jobs can't be ended";
    pollfd manager{manager_socket, POLLRDHUP, 0};
    if (poll(&manager, 1, 10) > 0) std::_Exit(1);  // the manager gave up
  }
  const std::string process = std::to_string(getpid()) + '\n';  // for people
  if (ftruncate(file, 0) != 0 || write(file, process.data(), process.size()) < 0)
    return "can't write " + path + ": " + std::strerror(errno);
  return {};
}

std::string prepare(const Arguments& arguments, const Marks& marks, JobFolder& folder, Door& door, bool& locked) {
  std::string fault = take_lock(arguments, locked);
  if (fault.empty()) fault = end_leftovers(arguments.state, marks);
  if (fault.empty()) fault = folder.open(arguments.state, arguments.fresh && !arguments.outlive);
  if (fault.empty() && arguments.outlive) fault = folder.open_outcomes(arguments.state);
  if (fault.empty() && arguments.outlive) fault = door.open(arguments.state);
  return fault;
}

void serve(const Arguments& arguments) {
  JobFolder folder;
  const Marks marks(arguments.state);
  Door door(marks);
  Ready refusal;
  refusal.fault = prepare(arguments, marks, folder, door, refusal.locked);
  if (!refusal.fault.empty()) {
    Channel channel(manager_socket);
    channel.queue(pack(Report(refusal)));
    channel.flush();
    std::_Exit(1);
  }
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const int signals = signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
  Keeper({manager_socket, signals, arguments.state, arguments.keep, arguments.fresh, arguments.outlive}, marks,
         folder, door)
      .run();
  std::_Exit(0);
}

// Ends what is left of the jobs in a folder. Its keeper is gone, or about to end.
int clean(const std::string& state) {
  const std::string fault = end_leftovers(state, Marks(state));
  if (!fault.empty()) std::fprintf(stderr, "keeper: %s\n", fault.c_str());
  return fault.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[2], "clean") == 0) return clean(argv[1]);
  const bool is_of_build = argc == 7 && std::strtoul(argv[6], nullptr, 10) == frames_version;
  if (!is_of_build || fcntl(manager_socket, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "keeper: started by the resource manager of its build, not by hand\n");
    return other_build_exit;
  }
  while (fcntl(STDERR_FILENO, F_GETFD) < 0 && open("/dev/null", O_RDWR) >= 0) continue;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  umask(077);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  const Arguments arguments{argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::strcmp(argv[4], "fresh") == 0,
                            std::strcmp(argv[5], "outlive") == 0};
  std::thread worker([&] { serve(arguments); });
  worker.join();
}
