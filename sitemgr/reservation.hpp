// Reservation (preemption): nodes that are kept together for one local request, since lent nodes were reclaimed for it.
// A request that has waited for `reclaim_after` gets back those lent nodes with which it starts, or none. Until they
// are there no other request, borrower or search uses what the reservation holds. It is dropped when the request
// starts, is gone, or its nodes didn't come in time (docs/operations.md: `reclaim_after_seconds`).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sitemgr/lease_book.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/placer.hpp"
#include "sitemgr/request_queue.hpp"

namespace dmm {

class Reservation {
 public:
  struct Held {
    RequestId request;
    std::vector<std::uint32_t> processors;  ///< by cluster
    Instant until{};                        ///< it is dropped then
  };
  /// Leases to reclaim, and what is then to be held where.
  struct Victims {
    std::vector<LeaseId> leases;
    std::vector<std::uint32_t> processors;  ///< by cluster
  };

  const std::optional<Held>& held() const { return held_; }
  /// Subtracts from idle processors what is held, unless it is held for this request.
  void keep_from(std::vector<ClusterView>& clusters, const RequestId& request) const;
  /// Subtracts from processors, by cluster, what is held for any request.
  void keep_from_all(std::vector<std::uint32_t>& processors) const;
  /// Whether the request for which it is held is gone, or its nodes didn't come in time.
  bool is_over(Instant now, const RequestQueue& queue) const;

  /// When lent nodes may be reclaimed for the first that waits: after `reclaim_after`, and not more often than once a
  /// term. `may`: whether anything is lent that could be.
  Instant due(const LocalRequest* head, bool may, const SiteSettings& settings) const;
  /// Which leases to reclaim so that the request starts; nothing if no choice lets it start. Counts as tried.
  std::optional<Victims> choose(Instant now, const ResourceNeed& need, const LeaseBook& leases,
                                const OwnedNodes& owned, const Placer& placer);
  void reserve(Held held) { held_ = std::move(held), ++changes_; }
  void drop() { held_.reset(), ++changes_; }
  /// When what is held is given up.
  Instant next_deadline() const { return held_ ? held_->until : never; }
  /// Counts up whenever other processors are held than before, or may be.
  std::uint64_t changes() const { return changes_; }

 private:
  std::optional<Held> held_;
  Instant tried_{};  ///< when victims were looked for last
  std::uint64_t changes_ = 0;
};

}  // namespace dmm
