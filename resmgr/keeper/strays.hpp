// Finds processes that jobs left behind. As the subreaper, the keeper becomes the parent of every process below it when
// the process's parent ends. The kernel gives such a child to the first living thread of the keeper: its main thread,
// which does nothing else. Another thread starts the jobs, and has them on its own list. So the main thread's /proc
// children file lists exactly the strays, and is nearly always empty: a look costs one short read, however many jobs
// run. The start tries out whether the kernel does so; if not, all of /proc is searched, but seldom.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dmm::keeper {

class Strays {
 public:
  /// Tries the cheap way, with two forks. Make it in the thread that will start the jobs, before it starts any.
  Strays();

  /// Whether a look costs little. If not, look at most every 100 ms.
  bool cheap() const { return cheap_; }
  /// The keeper's children except those that `expected` knows.
  std::vector<pid_t> list(const std::function<bool(pid_t)>& expected) const;

 private:
  bool try_out();
  std::string main_children_;
  bool cheap_ = false;
};

/// The descendants of a process at this moment. Some may be missed while they come and go, or if the kernel has no
/// children files. Use it for asking processes to end, not for knowing that all have ended.
std::vector<pid_t> descendants_of(pid_t process);

}  // namespace dmm::keeper
