// Children of the keeper, as the kernel lists them.
#include "resmgr/keeper/strays.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/proc.hpp"

namespace dmm::keeper {
namespace {

std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> children;
  for (const pid_t process : numbers_in("/proc"))
    if (status_of(process).parent == parent) children.push_back(process);
  return children;
}

}  // namespace

Strays::Strays()
    : main_children_("/proc/self/task/" + std::to_string(getpid()) + "/children"), cheap_(try_out()) {}

bool Strays::try_out() {
  if (access(main_children_.c_str(), R_OK) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    if (fork() == 0) sleep(5);  // the stray; it ends by itself if the keeper dies here
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  auto strays = numbers_of(contents_of(main_children_).value_or(""));
  const bool listed = strays.size() == 1;
  if (!listed) strays = children_by_scan(getpid());
  for (const pid_t stray : strays) {
    kill(stray, SIGKILL);
    waitpid(stray, nullptr, 0);
  }
  return listed;
}

std::vector<pid_t> Strays::list(const std::function<bool(pid_t)>& expected) const {
  auto children = cheap_ ? numbers_of(contents_of(main_children_).value_or("")) : children_by_scan(getpid());
  std::erase_if(children, expected);
  return children;
}

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> found{process};
  for (std::size_t i = 0; i < found.size() && found.size() < 100'000; ++i) {
    const std::string tasks = "/proc/" + std::to_string(found[i]) + "/task";
    for (const pid_t thread : numbers_in(tasks)) {
      const auto text = contents_of(tasks + '/' + std::to_string(thread) + "/children");
      if (!text) continue;
      const auto children = numbers_of(*text);
      found.insert(found.end(), children.begin(), children.end());
    }
  }
  found.erase(found.begin());
  return found;
}

}  // namespace dmm::keeper
