// Holds: which leases of this owner's nodes are held for parts of co-allocated requests, and which request goes
// first. A held lease is offered and not claimed yet. Two requests that each hold what the other needs would both
// come to nothing for ever. So the older one wins everywhere: it takes the nodes of younger holds, and for a while
// younger ones get nothing (docs/protocol.md section 6.6).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// What decides which of two co-allocated requests goes first.
struct Precedence {
  Instant since{};  ///< when it began to wait, on this site's clock
  RequestId request;
};
/// The one that has waited longer goes first; of two that began at once, the one with the lesser name. All owners
/// measure waits alike (docs/protocol.md S76e): of two that were each first at one owner, neither would have both.
bool goes_before(const Precedence& one, const Precedence& other);

class Holds {
 public:
  /// Longer than the longest pause of a request before its next try: its turn lasts from one try to the next.
  static constexpr Duration first_kept = seconds(12);

  // ---- held leases ----
  void add(const LeaseId& lease, const Precedence& of) { held_[lease] = of; }
  /// It is over.
  void drop(const LeaseId& lease) { held_.erase(lease); }
  /// It was claimed: if its request was to go first, others may follow.
  void claimed(const LeaseId& lease);
  bool contains(const LeaseId& lease) const { return held_.contains(lease); }
  std::size_t size() const { return held_.size(); }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [lease, of] : held_) visit(lease);
  }
  /// The leases held for younger requests than this one, the youngest first.
  std::vector<LeaseId> younger_than(const Precedence& one) const;

  // ---- the order ----
  /// The same request as it was measured first within the last minute. By a fast clock a home
  /// site would seem to have waited longer at each try: of two rivals the later one would win each time.
  Precedence as_measured_first(Instant now, const Precedence& measured);
  /// A part of this request was turned away while younger requests held the nodes that it needs: these are freed,
  /// and for a while no younger request gets any.
  void turned_away(Instant now, const Precedence& one, Duration kept = first_kept);
  /// Whether this request may hold nodes now, or an older one is to find them first.
  bool may_hold(Instant now, const Precedence& one) const;

 private:
  struct Measured {
    Instant since{}, until{};
  };

  std::map<LeaseId, Precedence> held_;
  std::map<RequestId, Measured> measured_;
  std::optional<Precedence> first_;  ///< the oldest request that was turned away of late
  Instant first_until_{};            ///< until when no younger one gets nodes
};

}  // namespace dmm
