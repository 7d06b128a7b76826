// The steps of recovery.hpp.
#include "sitemgr/recovery.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/lease_mould.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/pool.hpp"

namespace dmm::site_steps {

/// A neighbour that is configured no longer can't be asked: what it lent is gone, what it was lent comes back.
/// False if nothing is left of the lease.
static bool restore(SiteParts& parts, Instant now, LeaseRecord& row);

// ---- writing --------------------------------------------------------------------------------------------------------

void changed(SiteStep& s, HopLease& lease) {
  if (s.effects.ledger.wanted) s.parts.leases.mark_changed(lease);
}

void write_ledger(SiteStep& s) {
  auto& ledger = s.effects.ledger;
  s.parts.leases.write(s.parts.neighbours, ledger);
  s.parts.drains.write(ledger);
  s.parts.providers.write(s.parts.owned, ledger);
  s.parts.feasibility.write(s.parts.neighbours, ledger);
  s.parts.relays.write(ledger);
  s.parts.accounts.write(ledger);
}

std::vector<SiteRecord> records_of(const SiteParts& parts) {
  std::vector<SiteRecord> rows;
  parts.leases.add_records(parts.neighbours, rows);
  parts.accounts.add_records(rows);
  parts.drains.add_records(rows);
  Providers::add_records(parts.owned, rows);
  parts.feasibility.add_records(parts.neighbours, rows);
  parts.relays.add_records(rows);
  return rows;
}

// ---- reading --------------------------------------------------------------------------------------------------------

void restore(SiteParts& parts, Instant now, std::vector<SiteRecord> rows) {
  DMM_ASSERT(parts.leases.size() == 0 && parts.queue.size() == 0);
  std::map<std::uint64_t, UsageRecord> usage;
  for (SiteRecord& row : rows) {
    if (auto* relay = std::get_if<RelayRecord>(&row)) parts.relays.restore(now, *relay);
    if (auto* offer = std::get_if<OfferRecord>(&row)) {
      const Party manager = offer->offer.manager;
      parts.owned.remember(std::move(offer->offer));
      if (!parts.owned.find_offer(manager)) parts.providers.offer_changed(manager);
    }
    if (auto* reach = std::get_if<ReachRecord>(&row))
      parts.feasibility.restore(parts.neighbours, std::move(*reach));
    if (auto* total = std::get_if<UsageTotalRow>(&row)) parts.accounts.restore(std::move(*total));
    if (auto* use = std::get_if<UsageRow>(&row)) usage.emplace(use->number, std::move(use->use));
    if (auto* drain = std::get_if<DrainRecord>(&row)) parts.drains.restore(*drain);
  }
  for (SiteRecord& row : rows)
    if (auto* lease = std::get_if<LeaseRecord>(&row); lease && !restore(parts, now, *lease))
      parts.leases.mark_gone(lease->id);
  for (const auto& [number, use] : usage)
    if (use.lease.owner == parts.settings.name) parts.leases.note_made(use.lease.epoch.counter);
  parts.accounts.restore(std::move(usage));
}

bool restore(SiteParts& parts, Instant now, LeaseRecord& row) {
  std::optional<std::size_t> upstream, downstream;
  if (!row.upstream.empty() && !(upstream = parts.neighbours.find(row.upstream))) return false;
  const bool borrower_is_gone = !row.downstream.empty() && !(downstream = parts.neighbours.find(row.downstream));
  if (borrower_is_gone && upstream) return false;  // the neighbour's inventory gives it back
  HopLease lease = lease_from(row, now, upstream, downstream, parts.settings.term);
  // Held for a part of a co-allocated request, which is tried again.
  const bool was_held = !lease.upstream && row.downstream.empty() && row.handed_out.empty();
  if (borrower_is_gone || was_held) {
    add_nodes(lease.cleaning.edit(), std::exchange(lease.nodes, {}));
    lease.state = LeaseState::ending;
  }
  std::vector<NodeGroup> idle = lease.nodes;
  for (HandedOutRecord& out : row.handed_out) {
    parts.users.restored(now, job_manager_of(parts.settings.name, out.user), parts.settings);
    parts.users.hold(lease, out.request);
    idle = without(idle, out.nodes);
    lease.handed_out[out.request] = std::move(out.nodes);
  }
  if (!lease.upstream) {
    parts.leases.note_made(lease.id.epoch.counter);
    for (const std::vector<NodeGroup>* groups : lease.all_nodes())
      for (const NodeGroup& group : *groups)
        parts.providers.silent(group.resource_manager, now + parts.settings.term);
  }
  const bool is_other = borrower_is_gone || was_held || lease.state != row.state || lease.term != row.term;
  SiteManagerEffects nothing;
  SiteStep step{parts, now, nothing};
  HopLease& kept = keep_lease(step, std::move(lease));
  if (is_other) parts.leases.mark_changed(kept);
  if (kept.upstream && !kept.downstream && !idle.empty()) into_pool(parts, kept, std::move(idle));
  return true;
}

}  // namespace dmm::site_steps
