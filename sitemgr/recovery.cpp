// The ledger of a site: what is written when something changed, and how a restarted site goes on from it. Renewals are
// not in it: for how long it has what it borrowed, it asks again before it promises anything (docs/reliability.md).
#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

// ---- writing -------------------------------------------------------------------------------------------------------

void SiteManager::changed(Step& s, Lease& lease) {
  if (s.out.ledger.wanted) leases_.mark_changed(lease);
}

void SiteManager::write_ledger(Step& s) {
  auto& ledger = s.out.ledger;
  leases_.write(neighbours_, ledger);
  lending_.write(ledger);
  providers_.write(owned_, ledger);
  feasibility_.write(neighbours_, ledger);
  relays_.write(ledger);
  accounts_.write(ledger);
}

std::vector<SiteRecord> SiteManager::records() const {
  std::vector<SiteRecord> rows;
  leases_.add_records(neighbours_, rows);
  accounts_.add_records(rows);
  lending_.add_records(rows);
  Providers::add_records(owned_, rows);
  feasibility_.add_records(neighbours_, rows);
  relays_.add_records(rows);
  return rows;
}

// ---- reading -------------------------------------------------------------------------------------------------------

void SiteManager::restore(Instant now, std::vector<SiteRecord> rows) {
  DMM_ASSERT(leases_.size() == 0 && queue_.size() == 0);
  std::map<std::uint64_t, UsageRecord> usage;
  for (SiteRecord& row : rows) {
    if (auto* relay = std::get_if<RelayRecord>(&row)) relays_.restore(now, *relay);
    if (auto* offer = std::get_if<OfferRecord>(&row)) {
      const Party manager = offer->offer.manager;
      owned_.remember(std::move(offer->offer));
      if (!owned_.find_offer(manager)) providers_.offer_changed(manager);
    }
    if (auto* reach = std::get_if<ReachRecord>(&row)) feasibility_.restore(neighbours_, std::move(*reach));
    if (auto* total = std::get_if<UsageTotalRow>(&row)) accounts_.restore(std::move(*total));
    if (auto* use = std::get_if<UsageRow>(&row)) usage.emplace(use->number, std::move(use->use));
    if (auto* drain = std::get_if<DrainRecord>(&row)) lending_.restore(*drain);
  }
  for (SiteRecord& row : rows)
    if (auto* lease = std::get_if<LeaseRecord>(&row); lease && !restore(now, *lease))
      leases_.mark_gone(lease->id);
  for (const auto& [number, use] : usage)
    if (use.lease.owner == settings_.name) leases_.note_made(use.lease.epoch.counter);
  accounts_.restore(std::move(usage));
}

/// A neighbour that is configured no longer can't be asked: what it lent is gone, what it was lent comes back. False if
/// nothing is left of the lease.
bool SiteManager::restore(Instant now, LeaseRecord& row) {
  std::optional<std::size_t> upstream, downstream;
  if (!row.upstream.empty() && !(upstream = neighbours_.find(row.upstream))) return false;
  const bool borrower_is_gone = !row.downstream.empty() && !(downstream = neighbours_.find(row.downstream));
  if (borrower_is_gone && upstream) return false;  // the neighbour's inventory gives it back
  Lease lease = lease_from(row, now, upstream, downstream, settings_.term);
  if (borrower_is_gone) {
    add_nodes(lease.cleaning, std::exchange(lease.nodes, {}));
    lease.state = LeaseState::ending;
  }
  std::vector<NodeGroup> idle = lease.nodes;
  for (HandedOutRecord& out : row.handed_out) {
    users_.restored(now, job_manager_of(settings_.name, out.user), settings_);
    users_.hold(lease, out.request);
    idle = without(idle, out.nodes);
    lease.handed_out[out.request] = std::move(out.nodes);
  }
  if (!lease.upstream) {
    leases_.note_made(lease.id.epoch.counter);
    for (const auto* groups : {&lease.nodes, &lease.cleaning})
      for (const NodeGroup& group : *groups) providers_.silent(group.resource_manager, now + settings_.term);
  }
  const bool is_other = borrower_is_gone || lease.state != row.state || lease.term != row.term;
  Effects nothing;
  Step step{now, nothing};
  Lease& kept = keep_lease(step, std::move(lease));
  if (is_other) leases_.mark_changed(kept);
  if (kept.upstream && !kept.downstream && !idle.empty()) into_pool(kept, std::move(idle));
  return true;
}

}  // namespace dmm
