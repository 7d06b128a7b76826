// Starting one program. `enter` runs in the child on the keeper's memory: system calls only, no allocation.
#include "resmgr/backends/keeper_spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

enum class Step { none, set_up, directory, execute };

struct Plan {
  std::vector<char*> paths;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* directory = nullptr;  // null for `work`
  std::array<std::pair<int, rlimit>, 6> limits{};
  std::size_t limit_count = 0;
  int null_file = -1;
  const JobFiles* files = nullptr;
  pid_t keeper = 0;
  Step failed = Step::none;  // written by the child
  int error = 0;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

void add_limit(Plan& plan, int resource, rlim_t soft, rlim_t hard) {
  rlimit present{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &present);
  hard = std::min(hard, present.rlim_max);  // nobody may raise it
  plan.limits[plan.limit_count++] = {resource, {std::min(soft, hard), hard}};
}

void add_limits(Plan& plan, const Limits& limits, rlim_t mark) {
  add_limit(plan, RLIMIT_CORE, 0, 0);
  add_limit(plan, RLIMIT_LOCKS, mark, mark);
  // SIGXCPU first, so that the outcome tells why; SIGKILL for those that ignore it.
  if (limits.cpu_seconds) add_limit(plan, RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 5);
  if (limits.memory_bytes) add_limit(plan, RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  if (limits.open_files) add_limit(plan, RLIMIT_NOFILE, limits.open_files, limits.open_files);
  if (limits.file_bytes) add_limit(plan, RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes);
}

[[noreturn]] void give_up(Plan& plan, Step step, int error) {
  plan.failed = step;
  plan.error = error;
  _exit(127);
}

// As execvp looks: the next place if there is nothing here; a file that may not be run counts if no other is
// found.
[[noreturn]] void execute(Plan& plan) {
  int error = ENOENT;
  for (char* const path : plan.paths) {
    if (!path) break;
    execve(path, plan.arguments.data(), plan.environment.data());
    if (errno == EACCES) {
      // A folder of PATH that may not be searched says nothing about the program.
      if (plan.paths.size() == 2 || access(path, F_OK) == 0) error = EACCES;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      give_up(plan, Step::execute, errno);
    }
  }
  give_up(plan, Step::execute, error);
}

int enter(void* argument) {
  Plan& plan = *static_cast<Plan*>(argument);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.keeper) _exit(127);  // the keeper died before the line above
  if (plan.directory ? chdir(plan.directory) : fchdir(plan.files->work)) give_up(plan, Step::directory, errno);
  if (dup2(plan.null_file, 0) < 0 || dup2(plan.files->output, 1) < 0 || dup2(plan.files->error, 2) < 0)
    give_up(plan, Step::set_up, errno);
  close_range(3, ~0U, 0);
  for (std::size_t i = 0; i < plan.limit_count; ++i)
    if (setrlimit(static_cast<__rlimit_resource_t>(plan.limits[i].first), &plan.limits[i].second))
      give_up(plan, Step::set_up, errno);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(plan);
}

StartFault fault_of(Step step, int error) {
  if (error == EACCES || error == EPERM || error == ENOEXEC) return StartFault::not_permitted;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG)
    return step == Step::directory ? StartFault::no_directory : StartFault::executable_missing;
  return StartFault::resources;
}

std::string text_of(const StartJob& job, Step step, int error) {
  const std::string why = std::string(": ") + std::strerror(error);
  if (step == Step::directory) return "can't enter " + job.working_directory + why;
  const std::string name = job.arguments.empty() ? "nothing" : job.arguments.front();
  return (step == Step::execute ? "can't run " : "can't start ") + name + why;
}

}  // namespace

Spawned spawn(const StartJob& job, const JobFiles& files, int null_file, rlim_t mark) {
  Plan plan;
  plan.paths = pointers(job.paths);
  plan.arguments = pointers(job.arguments);
  plan.environment = pointers(job.environment);
  if (!job.working_directory.empty()) plan.directory = job.working_directory.c_str();
  plan.null_file = null_file;
  plan.files = &files;
  plan.keeper = getpid();
  add_limits(plan, job.limits, mark);
  static std::array<char, 64 * 1024> stack;  // one start at a time: CLONE_VFORK waits until the child has executed
  const auto top = reinterpret_cast<std::uintptr_t>(stack.data() + stack.size()) & ~std::uintptr_t{15};
  const pid_t process = clone(enter, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
  if (process < 0) return {0, StartFault::resources, text_of(job, Step::set_up, errno)};
  if (plan.failed == Step::none) return {process, StartFault::none, {}};
  waitpid(process, nullptr, 0);
  return {0, fault_of(plan.failed, plan.error), text_of(job, plan.failed, plan.error)};
}

Spawned directory_fault(const std::string& path, int error) {
  return {0, StartFault::resources, "can't make " + path + ": " + std::strerror(error)};
}

}  // namespace dmm::keeper
