// keeper: the helper process beside each resource manager that runs the `process` backend; see keeper/loop.hpp for
// what it does. Started by the manager, never by people:
//
//   keeper <state folder> <microseconds that jobs go on without the manager> <microseconds to wait for the lock>
//          fresh|resume end|outlive
//
// with the socket to the manager as descriptor 3, on which the manager says Hello. It is in a session of its own, so
// that Ctrl-C doesn't reach it, and blocks all signals: only the manager decides. It holds a lock on
// <state folder>/keeper.lock while it lives; with `outlive` later managers find it by <state folder>/keeper.socket.
//
//   keeper <state folder> clean
//
// ends what is left there of jobs, and tells by its exit code and standard error whether that could be done; for
// whoever is about to remove the folder.
//
// Its main thread does nothing: it is the one that the kernel hands the jobs' strays to, see keeper/strays.hpp.
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
  bool fresh = false;    // the jobs' directories are another manager's, to be removed
  bool outlive = false;  // jobs go on without the manager
};

// Takes the lock, waiting for an earlier keeper to end its jobs; what went wrong, or nothing. The descriptor is
// never closed: the lock goes with the process.
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
    if (poll(&manager, 1, 10) > 0) std::_Exit(1);  // it gave up
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

// What is left of the jobs in a folder whose keeper is gone, or about to end.
int clean(const std::string& state) {
  const std::string fault = end_leftovers(state, Marks(state));
  if (!fault.empty()) std::fprintf(stderr, "keeper: %s\n", fault.c_str());
  return fault.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[2], "clean") == 0) return clean(argv[1]);
  if (argc != 6 || fcntl(manager_socket, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "keeper: started by the resource manager, not by hand\n");
    return 2;
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
