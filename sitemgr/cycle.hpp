// A pass that is made at fixed intervals, or, with an interval of 0, at once on every event (Iosup et al. 2007, section
// 4.4). Where nothing waits no pass is made, and what comes then waits for the next of the fixed instants.
#pragma once

#include "protocol/time.hpp"

namespace dmm {

class Cycle {
 public:
  explicit Cycle(Duration interval) : interval_(interval) {}

  /// Whether the pass is to be made now.
  bool is_due(Instant now) {
    if (interval_ == Duration{}) return true;
    if (now < next_) return false;
    next_ = never;
    return true;
  }
  /// Whether anything waits for the next pass.
  void want(Instant now, bool wanted) {
    if (interval_ == Duration{}) return;
    if (!wanted)
      next_ = never;
    else if (next_ == never)
      next_ = Instant{(now.microseconds / interval_.microseconds + 1) * interval_.microseconds};
  }
  /// When the next pass is due; `never` if nothing waits for one, or if every event brings one.
  Instant next() const { return next_; }

 private:
  Duration interval_;
  Instant next_ = never;
};

}  // namespace dmm
