// EndedLeases: why leases ended of late, for holders that didn't hear of it. A manager that was away when a lease
// ended compares what it holds when it is back, and is told the reason then: an owner's right costs no job a
// rerun.
#pragma once

#include <algorithm>
#include <deque>
#include <map>

#include "manager/assert.hpp"
#include "protocol/messages.hpp"

namespace dmm {

class EndedLeases {
 public:
  /// Leases that are remembered; beyond it the one that ended longest ago is forgotten.
  static constexpr std::size_t remembered_max = 4'096;

  /// Nodes of a lease, or all of it, ended for this reason; what runs there has this grace.
  void add(Instant now, const LeaseId& lease, LeaseEnd reason, Duration grace) {
    if (!ends_.insert_or_assign(lease, End{reason, now + grace}).second) return;
    order_.push_back(lease);
    if (order_.size() > remembered_max) {
      ends_.erase(order_.front());
      order_.pop_front();
    }
    DMM_ASSERT(order_.size() == ends_.size());
  }
  /// What a holder is told that still has these nodes of the lease: why any of it ended last, `unknown` if that
  /// isn't remembered, and what is left of the grace.
  LeaseEnded told(Instant now, const LeaseId& lease, std::vector<NodeGroup> nodes) const {
    const auto found = ends_.find(lease);
    if (found == ends_.end()) return {lease, std::move(nodes), LeaseEnd::unknown, false, {}};
    const Duration grace = std::max(found->second.grace_until - now, Duration{});
    return {lease, std::move(nodes), found->second.reason, false, grace};
  }

 private:
  struct End {
    LeaseEnd reason = LeaseEnd::unknown;
    Instant grace_until{};
  };
  std::map<LeaseId, End> ends_;
  std::deque<LeaseId> order_;  ///< those of `ends_`, by when any of them ended first
};

}  // namespace dmm
