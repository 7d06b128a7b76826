// Jobs' cgroups (version 2), which hold each job with all its processes to its share of the host. They are in a folder
// that the administrator gave to the resource manager alone. Uses the controllers that are there.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace dmm::keeper {

/// 0: no limit.
struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processors = 0;
  std::uint64_t processes = 0;
};

class JobCgroups {
 public:
  /// From now on, makes jobs' cgroups in the folder, or none if it is empty. Returns what went wrong, or an empty text.
  std::string open(const std::string& folder);
  bool is_open() const { return folder_ >= 0; }
  /// What the cgroups limit, for people: "cgroup v2 (cpu, memory, pids)".
  const std::string& text() const { return text_; }

  /// Makes a job's cgroup. Returns its file that takes processes, which the caller closes; or -1 with errno.
  int make(std::uint64_t serial, const CgroupLimits& limits);
  /// Kills all processes in it.
  void kill(std::uint64_t serial) const;
  /// Removes it, now or when the kernel has cleaned up its processes.
  void remove(std::uint64_t serial);

 private:
  std::string name_of(std::uint64_t serial) const;
  void take_controllers(const std::string& path);
  void remove_empty(const std::string& path) const;
  int folder_ = -1;
  std::string text_;
  std::set<std::uint64_t> to_remove_;
};

}  // namespace dmm::keeper
