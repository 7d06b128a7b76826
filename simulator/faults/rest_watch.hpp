// RestWatch: whether a run comes to rest: jobs end, something runs, and nodes come home.
#pragma once

#include <string>

#include "simulator/world/world.hpp"

namespace dmm {

class RestWatch {
 public:
  /// All faults are healed from now on.
  void begin(Instant now) { ran_ = ended_ = now; }
  /// To be called at fixed times, which don't depend on other events.
  void look(const World& world);
  /// Something may run again from now on.
  void go_on(Instant now) { ran_ = now; }
  /// When there last was something to wait for.
  Instant ran() const { return ran_; }
  /// When the last job ended.
  Instant ended() const { return ended_; }
  /// Without faults all nodes come home without waiting for a lease to expire. What is wrong; empty if nothing is.
  std::string check_homecoming(const World& world);

 private:
  Instant ran_{}, ended_{};
  std::size_t open_ = 0;  ///< jobs that hadn't ended at the last look
  Instant idle_since_{};  ///< no job has been under way since, or everything at home
};

}  // namespace dmm
