// System calls only, no allocation: the keeper has threads that may hold the allocator's lock when it forks.
#include "resmgr/keeper/shim.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/account.hpp"
#include "resmgr/keeper/ready_line.hpp"

namespace dmm::keeper {
namespace {

constexpr int words_socket = 3;
constexpr int cgroup_file = 4;
static_assert(launcher_socket == cgroup_file + 1);
constexpr int out_of_the_way = 16;  // descriptors from here on are none of the above
constexpr std::size_t stack_size = 64 * 1024;

struct Leader {
  const ShimPlan& plan;
  pid_t shim = 0;
  Step failed = Step::none;  // written by the leader
  int error = 0;
};

[[noreturn]] void give_up(Leader& leader, Step step, int error) {
  leader.failed = step;
  leader.error = error;
  _exit(127);
}

// Searches as execvp does: goes on if a place has no such file. A file that may not be run counts only if no other is
// found.
[[noreturn]] void execute(Leader& leader) {
  const ShimPlan& plan = leader.plan;
  int error = ENOENT;
  for (char* const path : plan.paths) {
    if (!path) break;
    execve(path, plan.arguments.data(), plan.environment.data());
    if (errno == EACCES) {
      // A folder of PATH that may not be searched says nothing about the program.
      if (plan.paths.size() == 2 || access(path, F_OK) == 0) error = EACCES;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      give_up(leader, Step::execute, errno);
    }
  }
  give_up(leader, Step::execute, error);
}

int enter(void* argument) {
  Leader& leader = *static_cast<Leader*>(argument);
  const ShimPlan& plan = leader.plan;
  setpgid(0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(leader, Step::set_up, errno);
  // Files that a user named are entered and run under the job's account.
  if (!plan.account.is_own())
    if (const int error = become(plan.account)) give_up(leader, Step::set_up, error);
  prctl(PR_SET_PDEATHSIG, SIGKILL);          // a change of account takes it away
  if (getppid() != leader.shim) _exit(127);  // the shim died before prctl
  if (!say(words_socket, {.serial = plan.serial, .kind = Word::Kind::entered})) _exit(127);  // the keeper died
  if (chdir(plan.directory.c_str()) != 0) give_up(leader, Step::directory, errno);
  for (std::size_t i = 0; i < plan.limit_count; ++i)
    if (setrlimit(static_cast<__rlimit_resource_t>(plan.limits[i].first), &plan.limits[i].second) != 0)
      give_up(leader, Step::set_up, errno);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(leader);
}

// Arranges the program's own descriptors and ours, and closes the rest. The program itself keeps only its three, and a
// launcher its socket.
int arrange_descriptors(const ShimPlan& plan) {
  constexpr int count = launcher_socket + 1;
  const int wanted[count] = {plan.input, plan.output, plan.error, plan.words, plan.cgroup, plan.launcher};
  int moved[count];
  for (int i = 0; i < count; ++i) {
    moved[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD_CLOEXEC, out_of_the_way);
    if (wanted[i] >= 0 && moved[i] < 0) return errno;
  }
  for (int i = 0; i < count; ++i) {
    const bool is_ours = i == words_socket || i == cgroup_file;
    if (moved[i] < 0)
      close(i);
    else if (dup3(moved[i], i, is_ours ? O_CLOEXEC : 0) < 0)
      return errno;
  }
  close_range(count, ~0U, 0);
  return 0;
}

// Before any process of the job: the mark first, so that all later processes are found; then its cgroup and namespaces.
int set_up(const ShimPlan& plan) {
  if (setrlimit(RLIMIT_LOCKS, &plan.mark) != 0) return errno;
  if (plan.cgroup >= 0 && write(cgroup_file, "0", 1) != 1) return errno;
  if (plan.cgroup >= 0) close(cgroup_file);
  if (plan.isolation.namespaces)
    if (const int error = isolate(plan.isolation, plan.hiding)) return error;
  prctl(PR_SET_DUMPABLE, 0);  // this is a copy of the keeper, which has a secret
  return 0;
}

[[noreturn]] void fail(const ShimPlan& plan, int words, Step step, int error) {
  say(words, {.serial = plan.serial, .error = error, .kind = Word::Kind::failed, .step = step});
  _exit(127);
}

// Waits until the leader has executed its program, failed to, or was killed: the kernel doesn't tell which.
pid_t start_leader(const ShimPlan& plan) {
  Leader leader{plan, getpid()};
  alignas(16) char stack[stack_size];
  const pid_t process = clone(enter, stack + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, &leader);
  if (process < 0) fail(plan, words_socket, Step::set_up, errno);
  if (leader.failed != Step::none) fail(plan, words_socket, leader.failed, leader.error);
  say(words_socket, {.serial = plan.serial, .kind = Word::Kind::started});
  return process;
}

// Reaps children; whether any are left to wait for. Reports the end of the leader, which is no process any more then.
bool reap(const ShimPlan& plan, pid_t& leader) {
  int status = 0;
  rusage usage{};
  pid_t process = 0;
  while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    if (process != leader) continue;
    leader = 0;
    const auto microseconds = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
    say(words_socket, {.serial = plan.serial,
                       .cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
                       .status = status,
                       .kind = Word::Kind::ended});
  }
  return process == 0;
}

}  // namespace

void run_shim(const ShimPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int error = arrange_descriptors(plan)) fail(plan, plan.words, Step::set_up, error);
  if (const int error = set_up(plan)) fail(plan, words_socket, Step::set_up, error);
  pid_t leader = start_leader(plan);
  const bool alone = plan.isolation.namespaces;  // then -1 is all of the job and nothing else
  bool asked = false;
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGTERM, SIGUSR1}) sigaddset(&awaited, signal);
  while (reap(plan, leader) && (leader != 0 || (asked && alone && plan.warns_all))) {
    siginfo_t signal{};
    sigwaitinfo(&awaited, &signal);
    if (signal.si_signo == SIGCHLD || signal.si_signo == 0) continue;
    // Only the keeper's signals count. It is outside of the job's namespace, so it has no number there.
    if (signal.si_pid != (alone ? 0 : getppid())) continue;
    const pid_t job_processes = alone ? -1 : -leader;
    if (leader == 0 && !alone) continue;
    if (signal.si_signo == SIGTERM) {
      asked = true;
      const pid_t warned = plan.warns_all ? job_processes : leader;
      kill(warned, SIGTERM);
      kill(warned, SIGCONT);  // a stopped job can't react to SIGTERM
    } else {
      kill(job_processes, SIGKILL);
    }
  }
  _exit(0);
}

}  // namespace dmm::keeper
