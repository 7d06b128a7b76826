// Which leases have had no job for how long. Pure bookkeeping: the manager says when a lease is idle and when it isn't,
// and ends those that were idle for too long.
#pragma once

#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

class IdleLeases {
 public:
  /// The lease has no job now, and may have none for so long. If that was said before, the earlier time counts.
  void idle(Instant now, Epoch lease, Duration longest);
  /// It has one, or is over. No-op if it wasn't idle.
  void busy(Epoch lease);

  Instant next() const { return ends_.empty() ? never : ends_.begin()->first; }
  /// The leases that were idle for too long; they count as busy from now on.
  std::vector<Epoch> take(Instant now);

 private:
  DenseMap<Epoch, Instant> end_of_;
  DenseSet<std::pair<Instant, Epoch>> ends_;
};

}  // namespace dmm
