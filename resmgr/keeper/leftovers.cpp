// Marks and environments of processes. A process is checked once its handle is held, so that no other process is
// killed.
#include "resmgr/keeper/leftovers.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>

#include <unistd.h>

#include "resmgr/keeper/proc.hpp"

namespace dmm::keeper {
namespace {

// FNV-1a, folded to 24 bits.
rlim_t tag_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return (hash ^ hash >> 24 ^ hash >> 48) & 0xFFFFFF;
}

// "Max file locks   unlimited   unlimited   locks": the second value is the hard limit. All accounts may read the file.
std::optional<rlim_t> locks_told_of(pid_t process) {
  std::istringstream lines(contents_of("/proc/" + std::to_string(process) + "/limits").value_or(""));
  constexpr std::string_view name = "Max file locks";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::string soft, hard;
    words >> soft >> hard;
    if (hard == "unlimited") return RLIM_INFINITY;
    rlim_t limit = 0;
    const auto [rest, error] = std::from_chars(hard.data(), hard.data() + hard.size(), limit);
    if (error == std::errc{}) return limit;
  }
  return std::nullopt;
}

// The hard limit of file locks of a process, also of another account's: that takes a privilege which root may lack.
std::optional<rlim_t> locks_of(pid_t process) {
  rlimit limit{};
  if (prlimit(process, RLIMIT_LOCKS, nullptr, &limit) == 0) return limit.rlim_max;
  return errno == EPERM ? locks_told_of(process) : std::nullopt;
}

// The mark first: reading it never waits, and the job can't remove it as it can remove the variable.
bool is_leftover(pid_t process, const std::string& state, const Marks& marks) {
  if (marks.owner_of(process) == 0) {
    const auto environment = contents_of("/proc/" + std::to_string(process) + "/environ");
    if (!environment ||
        ('\0' + *environment).find('\0' + ("DMM_DIRECTORY=" + state + "/jobs/")) == std::string::npos)
      return false;
  }
  return !status_of(process).is_gone();
}

}  // namespace

Marks::Marks(const std::string& state) : base_(0), tag_(tag_of(state)) {
  rlimit own{};
  getrlimit(RLIMIT_LOCKS, &own);
  base_ = own.rlim_max;
}

std::uint64_t Marks::owner_of(pid_t process) const {
  const auto limit = locks_of(process);
  if (!limit || *limit > base_) return 0;
  const rlim_t difference = base_ - *limit;
  return difference >> 32 == tag_ ? difference & 0xFFFFFFFF : 0;
}

Leftovers kill_leftovers(const std::string& state, const Marks& marks) {
  Leftovers left;
  for (const pid_t process : numbers_in("/proc")) {
    if (process == getpid()) continue;
    const int error = signal_if(process, SIGKILL, [&] { return is_leftover(process, state, marks); });
    if (error == ESRCH) continue;
    ++left.found;
    const ProcessStatus status = status_of(process);
    left.last = "process " + std::to_string(process) + " (" + status.name + ") ";
    left.last += error != 0 ? std::string("may not be killed: ") + std::strerror(error)
                            : std::string("was killed and is still there; its state is ") + status.state;
  }
  return left;
}

std::string end_leftovers(const std::string& state, const Marks& marks) {
  Leftovers left;
  for (int tries = 0; tries < 500; ++tries) {
    left = kill_leftovers(state, marks);
    if (left.found == 0) return {};
    usleep(10'000);
  }
  return "can't end all that is left of the jobs of an earlier keeper in " + state + ": " + left.last;
}

}  // namespace dmm::keeper
