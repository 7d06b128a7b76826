// Finding what jobs left behind. As the subreaper, the keeper becomes the parent of every process whose parent
// ended. The kernel gives such a child to the first living thread of the keeper, which is its main thread and does
// nothing else; jobs are started by another thread and are on that thread's list. So the main thread's /proc
// children file lists exactly the strays, and is nearly always empty: finding none costs one short read, however
// many jobs run. That the kernel does so is tried out at the start; where it doesn't, all of /proc is looked
// through, but seldom.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

namespace dmm::keeper {

class Strays {
 public:
  /// Tries the cheap way out, with two forks. For the thread that will start the jobs, before it starts any.
  Strays();

  /// Whether looking costs little. If not, look at most every 100 ms.
  bool cheap() const { return cheap_; }
  /// The keeper's children but for those that `expected` knows.
  std::vector<pid_t> list(const std::function<bool(pid_t)>& expected) const;

 private:
  bool try_out();
  std::string main_children_;
  bool cheap_ = false;
};

/// What tells to which job a process belongs: its hard limit of file locks. Linux doesn't enforce that limit since
/// 2.4.25, but every descendant inherits it and only a privileged one can raise it, so it survives setsid, a
/// double fork and a cleared environment. The mark is the keeper's own limit less a tag of its state folder (24
/// bits) and the job's serial number (32 bits): always lower, so setting it needs no privilege, also in a keeper
/// inside a job.
class Marks {
 public:
  explicit Marks(const std::string& state);
  rlim_t of(std::uint64_t serial) const { return base_ - (tag_ << 32) - (serial & 0xFFFFFFFF); }
  /// The serial number of the job that a process belongs to; 0 if it belongs to none of this folder, is gone or
  /// may not be looked at.
  std::uint64_t owner_of(pid_t process) const;

 private:
  rlim_t base_;
  rlim_t tag_;
};

/// The descendants of a process at this moment; some may be missed while they come and go, or where the kernel has
/// no children files. Good for asking processes to end, not for knowing that all have ended.
std::vector<pid_t> descendants_of(pid_t process);

/// Kills what the jobs of a keeper that was killed left behind, and waits until none is left: every process with a
/// variable DMM_DIRECTORY that begins with `prefix`, and those with a mark of this folder and without that
/// variable. False if some are left after five seconds.
bool end_leftovers(const std::string& prefix, const Marks& marks);

}  // namespace dmm::keeper
