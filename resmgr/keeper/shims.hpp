// The keeper's shims: those with a job, those that rest until the next one, and those that are to end. A shim of a job
// in namespaces has that job alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include <sys/types.h>

#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/isolation.hpp"
#include "resmgr/keeper/shim_orders.hpp"
#include "resmgr/keeper/shim_plan.hpp"

namespace dmm::keeper {

class Shims {
 public:
  Shims() = default;
  ~Shims();
  Shims(const Shims&) = delete;
  Shims& operator=(const Shims&) = delete;

  /// The page of a shim that rests, for the plan that `order_resting` orders next; null if none rests.
  const PlanPage* resting_page() const;
  /// The number of the shim that has the job now; 0 if the shim turned out to be gone.
  pid_t order_resting(const ShimFiles& files);
  /// Forks a shim for the plan in the page. Returns its number, or 0 with errno.
  pid_t start(PlanPage page, const Hiding& hiding, int words, const ShimFiles& files);

  /// A shim's job is over, and the shim said that it rests.
  void rest(pid_t shim);
  /// The serial number of the job of a shim that ended and was waited for; 0 if it rested. Nothing if it is no shim.
  std::optional<std::uint64_t> ended(pid_t shim);
  bool contain(pid_t process) const { return shims_.contains(process); }
  bool are_gone() const { return shims_.empty(); }
  void kill_all() const;

  /// When to call `end_idle`; endless while none rests.
  Clock next_wake() const;
  /// Lets go of shims that have rested for long.
  void end_idle(Clock time);

 private:
  struct Shim {
    PlanPage page;
    int orders = -1;           // the keeper's end; -1: it is to end
    std::uint64_t serial = 0;  // of its job, also of one that never ran and was reported as ended; 0: none
  };
  struct Resting {
    pid_t shim = 0;
    Clock since = 0;
  };
  void let_go(Shim& shim);

  std::unordered_map<pid_t, Shim> shims_;
  std::deque<Resting> resting_;  // the last to rest is the next to work
};

}  // namespace dmm::keeper
