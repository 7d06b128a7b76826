// Jobs' cgroups (version 2), which hold each job with all its processes to its share of the host. In a folder that
// the administrator gave to the resource manager alone; which controllers there are is found out.
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
  /// Makes jobs' cgroups in the folder from now on, or none if it is empty. What went wrong, or nothing.
  std::string open(const std::string& folder);
  bool is_open() const { return folder_ >= 0; }
  /// What they hold jobs to, for people: "cgroup v2 (cpu, memory, pids)".
  const std::string& text() const { return text_; }

  /// Makes a job's cgroup: its file that takes processes, the caller's; or -1 with errno.
  int make(std::uint64_t serial, const CgroupLimits& limits);
  /// Kills all that is in it.
  void kill(std::uint64_t serial) const;
  /// Removes it, now or when the kernel is done with what was in it.
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
