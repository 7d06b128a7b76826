// Lending (fair share, admission): what this site lends to neighbours, and to which of them first. Free nodes are lent
// beyond what the site's own users wait for and what is reserved for them. Where there isn't enough for all borrowers,
// the borrower that was served least by its weight has the turn, and nodes are kept for it. A sink that lost nodes by a
// reclaim, a borrower that lets offers lapse and a drained site get nothing for a while (docs/protocol.md section 6.5).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "protocol/or_fault.hpp"
#include "sitemgr/borrowers.hpp"
#include "sitemgr/drains.hpp"
#include "sitemgr/foreign.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/reservation.hpp"
#include "sitemgr/transit.hpp"

namespace dmm {

/// The borrower that is to have the next free nodes, and since when they are kept for it.
struct ShareTurn {
  std::size_t borrower = 0;
  std::uint32_t width = 0;  ///< processors that it needs in one cluster
  Instant since{};
  bool in_one_cluster = false;  ///< too few nodes are free for it yet: they are kept in one cluster
  std::size_t cluster = 0;      ///< that cluster, if `in_one_cluster`
};

class Lending {
 public:
  /// What this part looks at beside its own state.
  struct Site {
    const SiteSettings& settings;
    const OwnedNodes& owned;
    const RequestQueue& queue;
    const Neighbours& neighbours;
    const LeaseBook& leases;
    const Placer& placer;
    const Reservation& reservation;
    const Transit& transit;
    const Drains& drains;
  };
  /// Where a delegation is served, or why it isn't.
  using Decision = OrFault<Placement, RejectReason>;

  explicit Lending(const SiteSettings& settings);
  void add_neighbours(std::size_t neighbours);
  void set_weight(Instant now, std::size_t n, double weight) { borrowers_.set_weight(now, n, weight); }

  // ---- delegations ----
  /// Whether and where a delegation is served. What it asks for in vain counts as wanted by its borrower.
  Decision decide(Instant now, const Site& site, const Foreign& foreign);
  /// A delegation of the neighbour was served: forget the request with which it was turned away before.
  void granted(std::size_t n) { borrowers_.satisfy(n), ++grants_; }
  /// The neighbour asked for nodes: a turn that it missed doesn't count against it.
  void asks(std::size_t n) { turn_backoff_[n] = Instant{}; }
  /// Whether the neighbour, or the home site of the user that asks, gets nothing for a while.
  bool keeps_off(Instant now, const Foreign& foreign) const;
  /// What the limit allows that is the reason not to serve a delegation of the neighbour; 0 if none is.
  static std::uint32_t most_of(const Site& site, std::size_t n, RejectReason reason);
  static bool is_drained_for(const Site& site, const Foreign& foreign);

  // ---- what may be lent ----
  /// The most processors in one cluster that a neighbour may have now, less those kept for the borrower in turn; 0
  /// for one that gets nothing for a while.
  std::uint32_t lendable_to(Instant now, const Site& site, std::size_t n) const;
  /// The clusters of this site, by kind of node, with what of each the neighbour may have now.
  std::vector<ClusterReport> reports_for(Instant now, const Site& site, std::size_t n) const;
  /// Whether the neighbour gets nothing now, whatever is free.
  bool gets_nothing(Instant now, const Site& site, std::size_t n) const;
  /// Until when a neighbour gets nothing.
  Instant kept_off_until(const Site& site, std::size_t n) const;
  Instant kept_off_until(const SiteName& sink) const;
  /// Nodes of this sink were reclaimed: it gets none before `until`.
  void recalled(Instant now, const SiteName& sink, Instant until);
  /// The owner's administrator lets the sink have nodes again at once.
  void end_cooldown(const SiteName& sink) { kept_off_.erase(sink), ++changes_; }

  // ---- fair share ----
  /// Gives the turn to the waiting borrower that was served least, and passes the turn on when its time is over.
  void update_turn(Instant now, const Site& site);
  const std::optional<ShareTurn>& turn() const { return turn_; }
  /// When the turn passes on if nothing happens.
  Instant next_deadline(const Site& site) const;
  /// Which leases of a borrower are to serve no further job, since borrowers that were served less wait.
  std::set<LeaseId> wanted_for_others(Instant now, const Site& site, std::size_t n) const;

  // ---- what borrowers have and want ----
  void lent(Instant now, std::size_t n, std::uint32_t processors) { borrowers_.lend(now, n, processors); }
  void returned(Instant now, std::size_t n, std::uint32_t processors) { borrowers_.returned(now, n, processors); }
  void claimed(std::size_t n) { borrowers_.claim(n); }
  void lapsed(Instant now, std::size_t n) { borrowers_.lapse(now, n), ++changes_; }
  /// Takes the demand of the neighbour's own users from its hint. Farther demand counts when its Delegate arrives.
  void hear_demand(Instant now, std::size_t n, const CapacityHint& hint);
  void went_down(Instant now, std::size_t n);
  const Borrowers& borrowers() const { return borrowers_; }
  std::uint64_t grants() const { return grants_; }
  /// Counts up whenever a turn, a cooldown or a lapse changes what a neighbour may have. OwnedNodes counts the changes
  /// when nodes are lent and when they are free again.
  std::uint64_t changes() const { return changes_; }

 private:
  const std::vector<std::uint32_t>& lendable_by_cluster(const Site& site) const;
  std::vector<ClusterView> lendable_views(const Site& site, const Constraints& constraints) const;
  std::uint32_t allowance(const Site& site, std::size_t n) const;
  RejectReason why_nothing(Instant now, const Site& site, std::size_t n) const;
  std::optional<RejectReason> limit_reached(const Site& site, std::size_t n, std::uint64_t processors) const;
  std::optional<RejectReason> may_not_have(Instant now, const Site& site, const Foreign& foreign) const;
  static bool prefers_others(const Site& site, const Foreign& foreign);
  bool may_have_turn(Instant now, const Site& site, std::size_t n) const;
  static Duration turn_length(const Site& site, const ShareTurn& turn);
  std::size_t cluster_of_turn(Instant now, const Site& site, const ShareTurn& turn) const;
  std::uint32_t kept_for_others(Instant now, std::size_t n) const;
  bool leaves(const Site& site, const std::vector<PlacedComponent>& placement, std::uint32_t kept) const;
  std::vector<double> fair_shares(Instant now, const Site& site) const;
  double most_served(Instant now, std::size_t neighbours) const;

  Borrowers borrowers_;
  std::optional<ShareTurn> turn_;
  std::vector<Instant> turn_backoff_;     ///< by neighbour: nodes were kept for it in vain, no turn before
  std::map<SiteName, Instant> kept_off_;  ///< sinks that lost nodes by a reclaim, and until when they get none
  std::uint64_t grants_ = 0, changes_ = 0;
  struct Lendable {
    std::uint64_t owned = UINT64_MAX, queue = UINT64_MAX, reservation = UINT64_MAX;  ///< counters of these
    bool operator==(const Lendable&) const = default;
  };
  mutable std::vector<std::uint32_t> lendable_;  ///< the last result of lendable_by_cluster
  mutable Lendable lendable_of_;                 ///< the counters at which `lendable_` was computed
};

}  // namespace dmm
