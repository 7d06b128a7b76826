// System calls only, no allocation: the keeper has threads that may hold the allocator's lock when it forks.
#include "resmgr/keeper/shim.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/account.hpp"
#include "resmgr/keeper/ready_line.hpp"
#include "resmgr/keeper/shim_orders.hpp"
#include "resmgr/keeper/words.hpp"

namespace dmm::keeper {
namespace {

constexpr int words_socket = 3;
constexpr int cgroup_file = 4;
static_assert(launcher_socket == cgroup_file + 1);
constexpr int orders_socket = launcher_socket + 1;
constexpr int out_of_the_way = 16;  // descriptors from here on are none of the above
constexpr std::size_t stack_size = 64 * 1024;

struct Leader {
  const ShimPlan& plan;
  bool has_cgroup = false;
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
  for (char** path = plan.paths; *path; ++path) {
    // An execve in vain copies the environment first.
    if (access(*path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) continue;
    execve(*path, plan.arguments, plan.environment);
    if (errno == EACCES) {
      // A folder of PATH that may not be searched says nothing about the program.
      if (!plan.paths[1] || access(*path, F_OK) == 0) error = EACCES;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      give_up(leader, Step::execute, errno);
    }
  }
  give_up(leader, Step::execute, error);
}

// The mark first, so that all later processes of the job are found; then its cgroup.
int take_mark(const ShimPlan& plan, bool has_cgroup) {
  if (setrlimit(RLIMIT_LOCKS, &plan.mark) != 0) return errno;
  return !has_cgroup || write(cgroup_file, "0", 1) == 1 ? 0 : errno;
}

int enter(void* argument) {
  Leader& leader = *static_cast<Leader*>(argument);
  const ShimPlan& plan = leader.plan;
  setpgid(0, 0);
  if (const int error = take_mark(plan, leader.has_cgroup)) give_up(leader, Step::set_up, error);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(leader, Step::set_up, errno);
  // Files that a user named are entered and run under the job's account.
  if (plan.account.uid != 0)
    if (const int error = become(plan.account)) give_up(leader, Step::set_up, error);
  prctl(PR_SET_PDEATHSIG, SIGKILL);          // a change of account takes it away
  if (getppid() != leader.shim) _exit(127);  // the shim died before prctl
  if (!say(words_socket, {.serial = plan.serial, .kind = Word::Kind::entered})) _exit(127);  // the keeper died
  if (chdir(plan.directory) != 0) give_up(leader, Step::directory, errno);
  for (std::size_t i = 0; i < plan.limit_count; ++i)
    if (setrlimit(static_cast<__rlimit_resource_t>(plan.limits[i].resource), &plan.limits[i].value) != 0)
      give_up(leader, Step::set_up, errno);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(leader);
}

// Where a job has its files, which the shim closes with it.
constexpr ShimFiles job_places{0, 1, 2, cgroup_file, launcher_socket};
static_assert(job_places[cgroup_index] == cgroup_file);

void close_files() {
  for (const int place : job_places) close(place);
}

// Keeps the two sockets of the shim's own, and closes all else; 0 or an errno.
int keep_sockets(int words, int orders) {
  const int moved_words = fcntl(words, F_DUPFD_CLOEXEC, out_of_the_way);
  const int moved_orders = fcntl(orders, F_DUPFD_CLOEXEC, out_of_the_way);
  if (moved_words < 0 || moved_orders < 0 || dup3(moved_words, words_socket, O_CLOEXEC) < 0 ||
      dup3(moved_orders, orders_socket, O_CLOEXEC) < 0)
    return errno;
  close_files();
  close_range(orders_socket + 1, ~0U, 0);
  return 0;
}

// Puts the program's descriptors where the program has them; 0 or an errno. The program keeps only its three, and a
// launcher its socket.
int arrange_descriptors(const ShimFiles& files) {
  ShimFiles moved{};
  for (std::size_t i = 0; i < files.size(); ++i) {
    moved[i] = files[i] < 0 ? -1 : fcntl(files[i], F_DUPFD_CLOEXEC, out_of_the_way);
    if (files[i] >= 0 && moved[i] < 0) return errno;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const int place = job_places[i];
    if (moved[i] < 0)
      close(place);
    else if (dup3(moved[i], place, place == cgroup_file ? O_CLOEXEC : 0) < 0)
      return errno;
  }
  close_range(orders_socket + 1, ~0U, 0);
  return 0;
}

[[noreturn]] void fail(const ShimPlan& plan, int words, Step step, int error) {
  say(words, {.serial = plan.serial, .error = error, .kind = Word::Kind::failed, .step = step});
  _exit(127);
}

// Waits until the leader has executed its program, failed to, or was killed: the kernel doesn't tell which.
pid_t start_leader(const ShimPlan& plan, bool has_cgroup) {
  Leader leader{plan, has_cgroup, getpid()};
  alignas(16) char stack[stack_size];
  ASAN_UNPOISON_MEMORY_REGION(stack, stack_size);  // the last leader never returned from it
  const pid_t process = clone(enter, stack + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD, &leader);
  if (process < 0) fail(plan, words_socket, Step::set_up, errno);
  if (leader.failed != Step::none) fail(plan, words_socket, leader.failed, leader.error);
  say(words_socket, {.serial = plan.serial, .kind = Word::Kind::started});
  return process;
}

// A job while its shim has processes of it.
struct Course {
  const ShimPlan& plan;
  pid_t leader = 0;  // 0 when it has ended
  bool asked = false;
  bool rests = false;  // the shim said so

  // In namespaces of its own, where -1 is all of the job and nothing else.
  bool is_alone() const { return plan.isolation.namespaces; }
};

// Reaps children; whether there is more to wait for. Reports the end of the leader, which is no process any more then.
bool reap(Course& course) {
  int status = 0;
  rusage usage{};
  pid_t process = 0;
  const pid_t leader = course.leader;
  Word word{.serial = course.plan.serial, .kind = Word::Kind::ended};
  while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    if (process != leader) continue;
    course.leader = 0;
    const auto microseconds = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
    word.status = status;
    word.cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  }
  course.rests = word.rests = process < 0 && !course.is_alone();
  if (course.rests) close_files();
  if (course.leader != leader) say(words_socket, word);
  return process == 0 && (course.leader != 0 || (course.asked && course.is_alone() && course.plan.warns_all));
}

void pass_on(Course& course, ShimSignal signal) {
  const pid_t job_processes = course.is_alone() ? -1 : -course.leader;
  if (signal == ShimSignal::kill) {
    kill(job_processes, SIGKILL);
    return;
  }
  course.asked = true;
  const pid_t warned = course.plan.warns_all ? job_processes : course.leader;
  kill(warned, SIGTERM);
  kill(warned, SIGCONT);  // a stopped job can't react to SIGTERM
}

// Whether the shim rests then.
bool run_job(const ShimPlan& plan, const ShimFiles& files) {
  if (const int error = arrange_descriptors(files)) fail(plan, words_socket, Step::set_up, error);
  Course course{plan, start_leader(plan, files[cgroup_index] >= 0)};
  const pid_t keeper = course.is_alone() ? 0 : getppid();  // it has no number in namespaces of a job's own
  while (reap(course)) {
    ShimSignal signal{};
    if (await_signal(plan.serial, keeper, signal)) pass_on(course, signal);
  }
  return course.rests;
}

}  // namespace

void run_shim(const ShimPlan& plan, const Hiding& hiding, int words, int orders) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int error = keep_sockets(words, orders)) fail(plan, words, Step::set_up, error);
  if (plan.isolation.namespaces)
    if (const int error = isolate(plan.isolation, hiding)) fail(plan, words_socket, Step::set_up, error);
  prctl(PR_SET_DUMPABLE, 0);  // this is a copy of the keeper, which has a secret
  ShimFiles files{};
  while (await_job(orders_socket, files) && run_job(plan, files)) continue;
  _exit(0);
}

}  // namespace dmm::keeper
