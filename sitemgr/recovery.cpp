// The ledger of a site: what is written when something changed, and how a restarted site goes on from it. Renewals are
// not in it: for how long it has what it borrowed, it asks again before it promises anything (docs/reliability.md).
#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

// ---- writing -------------------------------------------------------------------------------------------------------

void SiteManager::changed(Step& s, Lease& lease) {
  if (!s.out.ledger.wanted || std::exchange(lease.changed, true)) return;
  changed_leases_.push_back(lease.id);
}

void SiteManager::write_ledger(Step& s) {
  auto& ledger = s.out.ledger;
  if (!ledger.wanted) {
    changed_totals_.clear();
    lending_.write(ledger);
    providers_.write(owned_, ledger);
    relays_.write(ledger);
    feasibility_.write(neighbours_, ledger);
    return;
  }
  for (const LeaseId& id : std::exchange(changed_leases_, {})) {
    Lease* lease = leases_.find(id);
    if (lease) {
      lease->changed = false;
      ledger.put(record_of(*lease));
    } else {
      LeaseRecord gone;
      gone.id = id;
      ledger.erase(std::move(gone));
    }
  }
  lending_.write(ledger);
  providers_.write(owned_, ledger);
  feasibility_.write(neighbours_, ledger);
  relays_.write(ledger);
  write_usage(s);
}

void SiteManager::write_usage(Step& s) {
  auto& ledger = s.out.ledger;
  for (const auto& key : std::exchange(changed_totals_, {}))
    ledger.put(UsageTotalRow{key.second, key.first, totals_.at(key)});
  for (; usage_written_ < usage_.next(); ++usage_written_) {
    if (usage_written_ < usage_.first()) continue;
    const std::size_t index = static_cast<std::size_t>(usage_written_ - usage_.first());
    ledger.put(UsageRow{usage_written_, usage_.records()[index]});
  }
  for (; usage_first_ < usage_.first(); ++usage_first_) ledger.erase(UsageRow{usage_first_, {}});
}

LeaseRecord SiteManager::record_of(const Lease& lease) const {
  LeaseRecord row;
  row.id = lease.id;
  row.request = lease.request;
  row.part = lease.part;
  row.round = lease.round;
  row.state = lease.state;
  if (lease.upstream) row.upstream = neighbours_[*lease.upstream].site;
  if (lease.downstream) row.downstream = neighbours_[*lease.downstream].site;
  row.nodes = lease.nodes;
  row.cleaning = lease.cleaning;
  row.chain = lease.chain;
  row.owner_ancestors = lease.owner_ancestors;
  row.blocks = lease.blocks;
  row.granted = lease.granted;
  for (const auto& [request, nodes] : lease.handed_out)
    row.handed_out.push_back({request, request.user, nodes});
  row.processors = lease.processors;
  row.processor_microseconds = lease.processor_microseconds;
  row.grace = lease.grace;
  row.wanted = !lease.upstream && lease.wanted;
  row.detached = lease.detached;
  row.term = lease.term;
  row.length = lease.length;
  row.round_trip = lease.round_trip;
  row.jobs = lease.jobs;
  row.protected_until = lease.protected_until;
  return row;
}

std::vector<SiteRecord> SiteManager::records() const {
  std::vector<SiteRecord> rows;
  for (const LeaseId& id : leases_.all()) rows.emplace_back(record_of(leases_.get(id)));
  for (std::uint64_t number = usage_.first(); number < usage_.next(); ++number)
    rows.emplace_back(UsageRow{number, usage_.records()[static_cast<std::size_t>(number - usage_.first())]});
  for (const auto& [key, total] : totals_) rows.emplace_back(UsageTotalRow{key.second, key.first, total});
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
    if (auto* total = std::get_if<UsageTotalRow>(&row)) totals_[{total->direction, total->peer}] = total->total;
    if (auto* use = std::get_if<UsageRow>(&row)) usage.emplace(use->number, std::move(use->use));
    if (auto* drain = std::get_if<DrainRecord>(&row)) lending_.restore(*drain);
  }
  for (SiteRecord& row : rows)
    if (auto* lease = std::get_if<LeaseRecord>(&row); lease && !restore(now, *lease))
      changed_leases_.push_back(lease->id);
  restore_usage(std::move(usage));
}

void SiteManager::restore_usage(std::map<std::uint64_t, UsageRecord> usage) {
  const bool has_totals = !totals_.empty();  // an earlier version kept the single records alone
  usage_first_ = usage.empty() ? 1 : usage.begin()->first;
  for (auto& [number, use] : usage) {
    if (use.lease.owner == settings_.name) leases_made_ = std::max(leases_made_, use.lease.epoch.counter);
    if (!has_totals) add_total(use.direction, use.peer, use.processor_microseconds);
    usage_.restore(number, std::move(use));
  }
  usage_written_ = usage_.next();
}

/// A neighbour that is configured no longer can't be asked: what it lent is gone, what it was lent comes back. False if
/// nothing is left of the lease.
bool SiteManager::restore(Instant now, LeaseRecord& row) {
  Lease lease;
  if (!row.upstream.empty() && !(lease.upstream = neighbours_.find(row.upstream))) return false;
  const bool borrower_is_gone = !row.downstream.empty() && !(lease.downstream = neighbours_.find(row.downstream));
  if (borrower_is_gone && lease.upstream) return false;  // the neighbour's inventory gives it back
  lease.id = row.id;
  lease.request = row.request;
  lease.part = row.part;
  lease.round = row.round;
  lease.state = row.state == LeaseState::offered ? LeaseState::active : row.state;
  lease.nodes = std::move(row.nodes);
  lease.cleaning = std::move(row.cleaning);
  lease.chain = std::move(row.chain);
  lease.owner_ancestors = std::move(row.owner_ancestors);
  lease.blocks = std::move(row.blocks);
  lease.granted = std::min(row.granted, now);
  lease.processors = row.processors;
  lease.processor_microseconds = row.processor_microseconds;
  lease.grace = row.grace;
  lease.wanted = row.wanted;
  lease.detached = row.detached;
  lease.term = std::max(row.term, settings_.term);
  lease.length = row.length;
  lease.round_trip = row.round_trip;
  lease.jobs = row.jobs;
  lease.protected_until = row.protected_until;
  if (borrower_is_gone) {
    add_nodes(lease.cleaning, std::exchange(lease.nodes, {}));
    lease.state = LeaseState::ending;
  }
  // The borrower may have renewed just before we stopped: it has a whole term to do so again.
  if (lease.downstream) lease.downstream_until = now + lease.term + lease.term / owner_margin;
  lease.unsure = lease.upstream.has_value();
  if (lease.unsure) lease.upstream_until = now + lease.term;
  std::vector<NodeGroup> idle = lease.nodes;
  for (HandedOutRecord& out : row.handed_out) {
    const Party party = job_manager_of(settings_.name, out.user);
    users_.restored(now, party, settings_);
    users_.hold(lease, out.request);
    idle = without(idle, out.nodes);
    lease.handed_out[out.request] = std::move(out.nodes);
  }
  if (!lease.upstream) {
    leases_made_ = std::max(leases_made_, lease.id.epoch.counter);
    for (const auto* groups : {&lease.nodes, &lease.cleaning})
      for (const NodeGroup& group : *groups) providers_.silent(group.resource_manager, now + settings_.term);
  }
  lease.changed = borrower_is_gone || lease.state != row.state || lease.term != row.term;
  Effects nothing;
  Step step{now, nothing};
  Lease& kept = add_lease(step, std::move(lease));
  if (kept.changed) changed_leases_.push_back(kept.id);
  if (kept.upstream && !kept.downstream && !idle.empty()) into_pool(kept, std::move(idle));
  return true;
}

}  // namespace dmm
