// LeaseBook (leases): every lease with a hop at this site, with indices by link, by resource manager and by
// time. The book names the leases that this site makes, knows which are idle or changed, and writes their rows.
// What happens to a lease is decided by the manager (leasing.cpp); how a lease becomes a message or a row is in
// lease_mould.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "manager/lookup.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/records.hpp"

namespace dmm {

class LeaseBook {
 public:
  /// `offer`: how long an owner waits for a claim.
  LeaseBook(std::size_t neighbours, Duration offer) : offer_(offer), up_(neighbours), down_(neighbours) {}

  // ---- leases ----
  /// The name of a lease that this site makes now.
  Epoch new_epoch(std::uint64_t incarnation) { return {incarnation, ++made_}; }
  /// The last lease that this site made.
  Epoch latest(std::uint64_t incarnation) const { return {incarnation, made_}; }
  /// A lease of that name was made before a restart.
  void note_made(std::uint64_t counter) { made_ = std::max(made_, counter); }

  HopLease& add(HopLease lease);
  /// A lease gets nodes of a resource manager, or nodes to clean. False if it had some of that manager before.
  bool add_manager(HopLease& lease, const Party& manager);
  HopLease* find(const LeaseId& id) { return leases_.find(id); }
  void erase(const LeaseId& id);
  /// The owner wants the lease back after its present jobs, or no longer.
  void set_wanted(HopLease& lease, bool wanted);
  bool is_wanted(const LeaseId& id) const { return wanted_.contains(id); }
  bool any_wanted() const { return !wanted_.empty(); }
  std::size_t size() const { return leases_.size(); }
  /// Leases that came over a link, and that went out over it.
  const DenseSet<LeaseId>& up(std::size_t neighbour) const { return up_[neighbour]; }
  const DenseSet<LeaseId>& down(std::size_t neighbour) const { return down_[neighbour]; }
  /// Those of our own that have or had nodes of a resource manager, in order.
  std::vector<LeaseId> on(const Party& manager) const;
  void add_neighbours(std::size_t neighbours) { up_.resize(neighbours), down_.resize(neighbours); }
  void set_offer(Duration offer) { offer_ = offer; }
  /// In order.
  std::vector<LeaseId> all() const { return leases_.keys(); }
  bool contains(const LeaseId& id) const { return leases_.contains(id); }
  const HopLease& get(const LeaseId& id) const { return leases_.at(id); }

  // ---- idle nodes ----
  /// A resource manager says that its nodes of a lease are idle. Whether all managers with nodes of it said so of late.
  bool is_idle_everywhere(Instant now, const HopLease& lease, const Party& provider);
  /// The sink's idle nodes of the lease are to be reused or given back in this step.
  void pool(HopLease& lease);
  std::vector<LeaseId> take_pooled() { return std::exchange(pooled_, {}); }

  // ---- the ledger ----
  /// The lease's row is to be written.
  void mark_changed(HopLease& lease);
  /// A row that stands for no lease any more is to be erased.
  void mark_gone(const LeaseId& id) { changed_.push_back(id); }
  void write(const Neighbours& neighbours, LedgerChanges<SiteRecord>& ledger);
  void add_records(const Neighbours& neighbours, std::vector<SiteRecord>& rows) const;

  // ---- time ----
  /// To be called when a lease got a deadline, or an earlier one than before; later ones are noticed by themselves.
  void watch(const HopLease& lease);
  /// The next lease that is past its deadline; it is watched no longer. nullptr if there is none.
  HopLease* take_over(Instant now);
  /// Not later than any watched deadline; `never` if none is watched.
  Instant next_deadline() const { return watched_.empty() ? never : watched_.front().first; }

 private:
  using Watched = std::pair<Instant, LeaseId>;
  static constexpr std::size_t sweep_first = 64;

  /// Leases end long before the longest that they might last: those that have ended are watched no longer.
  void sweep();
  void add_new_manager(HopLease& lease, const Party& manager);

  Duration offer_;
  std::uint64_t made_ = 0;  ///< leases that this site made, in this incarnation or the last that is known of
  Lookup<LeaseId, HopLease> leases_;
  std::vector<DenseSet<LeaseId>> up_, down_;
  DenseSet<LeaseId> wanted_;  ///< every lease with `wanted`
  std::map<Party, DenseSet<LeaseId>> by_manager_;
  std::vector<Watched> watched_;  ///< a heap, earliest first; may name leases that have ended or were renewed
  std::size_t sweep_at_ = sweep_first;
  /// Of leases on several resource managers: when each said that its part isn't used.
  std::map<LeaseId, std::map<Party, Instant>> idle_said_;
  std::vector<LeaseId> pooled_;
  std::vector<LeaseId> changed_;  ///< leases with a row to be written or erased
};

}  // namespace dmm
