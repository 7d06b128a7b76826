// When a site looks which of the leases that it lent are to serve no further job. It looks now and then while
// there is demand for any of them, and once more when there no longer is. A site without demand never looks, and
// sleeps.
#pragma once

#include <algorithm>

#include "protocol/time.hpp"

namespace dmm {

struct WantedLook {
  Instant due = never;

  /// Whether there is demand for what is lent, in each step.
  void see(Instant now, bool demand, Duration pause) {
    if (due == never && demand != seen_) due = std::max(now, last_ + pause);
  }
  /// It has looked.
  void looked(Instant now, bool demand, Duration pause) {
    seen_ = demand;
    last_ = now;
    due = demand ? now + pause : never;
  }

 private:
  Instant last_{};
  bool seen_ = false;
};

}  // namespace dmm
