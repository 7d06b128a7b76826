// Finding what jobs left behind. As the subreaper, the keeper becomes the parent of every process whose parent
// ended. The kernel gives such a child to the first living thread of the keeper, which is its main thread and does
// nothing else; jobs are started by another thread and are on that thread's list. So the main thread's /proc
// children file lists exactly the strays, and is nearly always empty: finding none costs one short read, however
// many jobs run. That the kernel does so is tried out at the start; where it doesn't, all of /proc is looked
// through, but seldom.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

/// The descendants of a process at this moment; some may be missed while they come and go, or where the kernel has
/// no children files. Good for asking processes to end, not for knowing that all have ended.
std::vector<pid_t> descendants_of(pid_t process);

}  // namespace dmm::keeper
