// Reading /proc: children files, status lines and environments.
#include "resmgr/backends/keeper_strays.hpp"

#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

std::optional<std::string> contents_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(file, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(count));
  close(file);
  return text;
}

// The numbers that name entries of a folder of /proc.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  DIR* const listing = opendir(path.c_str());
  if (!listing) return numbers;
  while (const dirent* const entry = readdir(listing))
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) numbers.push_back(std::atoi(entry->d_name));
  closedir(listing);
  return numbers;
}

std::vector<pid_t> numbers_of(std::string_view text) {
  std::vector<pid_t> numbers;
  const char* position = text.data();
  const char* const end = text.data() + text.size();
  while (position < end) {
    pid_t number = 0;
    const auto [after, error] = std::from_chars(position, end, number);
    if (error == std::errc{}) numbers.push_back(number);
    position = error == std::errc{} ? after : position + 1;
  }
  return numbers;
}

struct Status {
  char state = 'X';
  pid_t parent = 0;
};

// The third and fourth field of the status line; the second is a name in parentheses that may contain anything.
Status status_of(pid_t process) {
  const auto line = contents_of("/proc/" + std::to_string(process) + "/stat");
  if (!line) return {};
  const auto name_end = line->rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= line->size()) return {};
  return {(*line)[name_end + 2], std::atoi(line->c_str() + name_end + 4)};
}

std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> children;
  for (const pid_t process : numbers_in("/proc"))
    if (status_of(process).parent == parent) children.push_back(process);
  return children;
}

bool is_leftover(pid_t process, const std::string& prefix, const Marks& marks) {
  if (process == getpid()) return false;
  const std::string variable = "DMM_DIRECTORY=";
  const auto environment = contents_of("/proc/" + std::to_string(process) + "/environ");
  if (environment) {
    const auto found = ('\0' + *environment).find('\0' + variable);
    if (found != std::string::npos) return environment->substr(found + variable.size()).starts_with(prefix);
  }
  // Its environment was cleared, or it is in the middle of execve or of its end, when it has none.
  if (marks.owner_of(process) == 0) return false;
  const char state = status_of(process).state;
  return state != 'Z' && state != 'X';
}

// FNV-1a, folded to 24 bits.
rlim_t tag_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return (hash ^ hash >> 24 ^ hash >> 48) & 0xFFFFFF;
}

}  // namespace

Strays::Strays()
    : main_children_("/proc/self/task/" + std::to_string(getpid()) + "/children"), cheap_(try_out()) {}

bool Strays::try_out() {
  if (access(main_children_.c_str(), R_OK) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    if (fork() == 0) sleep(5);  // the stray; nobody would wait for it if the keeper died here
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

Marks::Marks(const std::string& state) : base_(0), tag_(tag_of(state)) {
  rlimit own{};
  getrlimit(RLIMIT_LOCKS, &own);
  base_ = own.rlim_max;
}

std::uint64_t Marks::owner_of(pid_t process) const {
  rlimit limit{};
  if (prlimit(process, RLIMIT_LOCKS, nullptr, &limit) != 0 || limit.rlim_max > base_) return 0;
  const rlim_t difference = base_ - limit.rlim_max;
  return difference >> 32 == tag_ ? difference & 0xFFFFFFFF : 0;
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

bool end_leftovers(const std::string& prefix, const Marks& marks) {
  for (int tries = 0; tries < 500; ++tries) {
    bool none = true;
    for (const pid_t process : numbers_in("/proc")) {
      if (!is_leftover(process, prefix, marks)) continue;
      none = false;
      kill(process, SIGKILL);
    }
    if (none) return true;
    usleep(10'000);
  }
  return false;
}

}  // namespace dmm::keeper
