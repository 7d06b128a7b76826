// Files of cgroup v2: a folder for each cgroup, limits written as text.
#include "resmgr/keeper/cgroups.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resmgr/keeper/proc.hpp"

namespace dmm::keeper {
namespace {

constexpr const char* ours = "dmm-";              // the prefix of a job's cgroup
constexpr const char* managers = "dmm-managers";  // where a folder's own processes go
constexpr std::uint64_t period = 100'000;         // microseconds, of a processor's share

// 0 or an errno. A file that isn't there belongs to a controller that isn't.
int write_in(int folder, const std::string& path, const std::string& text) {
  const int file = openat(folder, path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return errno;
  const int error = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
  close(file);
  return error;
}

}  // namespace

std::string JobCgroups::open(const std::string& folder) {
  if (folder_ >= 0) close(std::exchange(folder_, -1));
  text_.clear();
  if (folder.empty()) return {};
  folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string fault = "can't make cgroups in " + folder + ": ";
  if (folder_ < 0) return fault + std::strerror(errno);
  if (faccessat(folder_, "cgroup.procs", W_OK, 0) != 0) {
    const std::string why = errno == ENOENT ? "it is not a cgroup (version 2)" : std::strerror(errno);
    close(std::exchange(folder_, -1));
    return fault + why;
  }
  take_controllers(folder);
  remove_empty(folder);
  return {};
}

// A cgroup that gives controllers to its children may have no processes of its own: move them to a child first.
void JobCgroups::take_controllers(const std::string& path) {
  const std::string present = contents_of(path + "/cgroup.controllers").value_or("");
  std::string taken;
  for (const char* const name : {"cpu", "memory", "pids"}) {
    if ((' ' + present).find(' ' + std::string(name)) == std::string::npos) continue;
    int error = write_in(folder_, "cgroup.subtree_control", '+' + std::string(name));
    if (error == EBUSY) {
      mkdirat(folder_, managers, 0755);
      for (const pid_t process : numbers_of(contents_of(path + "/cgroup.procs").value_or("")))
        write_in(folder_, std::string(managers) + "/cgroup.procs", std::to_string(process));
      error = write_in(folder_, "cgroup.subtree_control", '+' + std::string(name));
    }
    if (error == 0) taken += (taken.empty() ? "" : ", ") + std::string(name);
  }
  text_ = "cgroup v2 (" + (taken.empty() ? "no controllers" : taken) + ')';
}

// Removes the cgroups of an earlier keeper, if nothing is left in them.
void JobCgroups::remove_empty(const std::string& path) const {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(path, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(ours) && name != managers) unlinkat(folder_, name.c_str(), AT_REMOVEDIR);
  }
}

std::string JobCgroups::name_of(std::uint64_t serial) const {
  return ours + std::to_string(getpid()) + '-' + std::to_string(serial);
}

int JobCgroups::make(std::uint64_t serial, const CgroupLimits& limits) {
  const std::string name = name_of(serial);
  if (mkdirat(folder_, name.c_str(), 0755) != 0) return -1;
  const auto limit = [&](const char* file, std::uint64_t value, const std::string& text) {
    if (value != 0) write_in(folder_, name + '/' + file, text);
  };
  limit("memory.max", limits.memory_bytes, std::to_string(limits.memory_bytes));
  limit("pids.max", limits.processes, std::to_string(limits.processes));
  limit("cpu.max", limits.processors, std::to_string(limits.processors * period) + ' ' + std::to_string(period));
  return openat(folder_, (name + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
}

void JobCgroups::kill(std::uint64_t serial) const {
  if (is_open()) write_in(folder_, name_of(serial) + "/cgroup.kill", "1");
}

void JobCgroups::remove(std::uint64_t serial) {
  if (!is_open()) return;
  to_remove_.insert(serial);
  std::erase_if(to_remove_, [&](std::uint64_t one) {
    return unlinkat(folder_, name_of(one).c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY;
  });
}

}  // namespace dmm::keeper
