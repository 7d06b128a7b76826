#include "resmgr/launcher/copies.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>

#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/launcher/programs_here.hpp"

namespace dmm {
namespace {

constexpr time_t grace_seconds = 5;

/// Waits for a child to end, until `deadline` by the monotonic clock if that isn't 0. 0: the deadline is over.
pid_t wait_for_child(int& status, time_t deadline) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (;;) {
    const pid_t process = waitpid(-1, &status, WNOHANG);
    if (process != 0) return process;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (deadline != 0 && now.tv_sec >= deadline) return 0;
    const timespec limit{deadline != 0 ? deadline - now.tv_sec : 3600, 0};
    sigtimedwait(&child, nullptr, &limit);
  }
}

void signal_all(const std::vector<pid_t>& processes, int number) {
  for (const pid_t process : processes) kill(process, number);
}

}  // namespace

std::vector<std::string> rank_variables(std::uint32_t component, std::uint32_t rank, std::uint32_t ranks) {
  return {"DMM_COMPONENT=" + std::to_string(component), "DMM_RANK=" + std::to_string(rank),
          "DMM_RANKS=" + std::to_string(ranks)};
}

int run_copies(const std::vector<std::string>& arguments, const LaunchOrder& order, Runner runner,
               const std::vector<std::string>& variables) {
  sigset_t blocked;
  sigemptyset(&blocked);
  // The copies get SIGTERM themselves; their ends decide the end of the task.
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&blocked, number);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  std::vector<pid_t> running;
  int result = 0;
  const std::uint32_t copies = order.copies_of(runner, order.own), first = order.first_rank(runner);
  const std::uint32_t component = order.own_part().component, ranks = order.ranks(runner);
  for (std::uint32_t i = 0; i < copies && result == 0; ++i) {
    std::vector<std::string> all = variables;
    std::ranges::move(rank_variables(component, first + i, ranks), std::back_inserter(all));
    const pid_t process = start_program(arguments, all, {}, false);
    if (process == 0)
      result = could_not_start;
    else
      running.push_back(process);
  }
  time_t deadline = 0;
  const auto end_the_others = [&] {
    signal_all(running, SIGTERM);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    deadline = now.tv_sec + grace_seconds;
  };
  if (result != 0) end_the_others();
  while (!running.empty()) {
    int status = 0;
    const pid_t ended = wait_for_child(status, deadline);
    if (ended == 0) {
      signal_all(running, SIGKILL);
      deadline = 0;
    }
    if (ended < 0) break;
    if (std::erase(running, ended) == 0 || status == 0 || result != 0) continue;
    result = status;
    end_the_others();
  }
  return result;
}

}  // namespace dmm
