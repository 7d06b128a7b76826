// The ledger of a site: what is written when something changed, and how a restarted site goes on from it. Renewals are
// not in it: for how long it has what it borrowed, it asks again before it promises anything (docs/reliability.md).
#include <algorithm>

#include "machine/assert.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

// ---- writing -------------------------------------------------------------------------------------------------------

void SiteManager::changed(Step& s, Lease& lease) {
  if (!s.out.ledger.wanted || std::exchange(lease.changed, true)) return;
  changed_leases_.push_back(lease.id);
}

void SiteManager::write_ledger(Step& s) {
  if (!s.out.ledger.wanted) return;
  for (const LeaseId& id : std::exchange(changed_leases_, {})) {
    Lease* lease = leases_.find(id);
    if (lease) {
      lease->changed = false;
      s.out.ledger.put(record_of(*lease));
    } else {
      LeaseRecord gone;
      gone.id = id;
      s.out.ledger.erase(std::move(gone));
    }
  }
  for (DrainRecord& drain : std::exchange(changed_drains_, {})) {
    if (drained_.contains(drain.site))
      s.out.ledger.put(std::move(drain));
    else
      s.out.ledger.erase(std::move(drain));
  }
  for (; usage_written_ < usage_.next(); ++usage_written_) {
    if (usage_written_ < usage_.first()) continue;
    const std::size_t index = static_cast<std::size_t>(usage_written_ - usage_.first());
    s.out.ledger.put(UsageRow{usage_written_, usage_.records()[index]});
  }
  for (; usage_first_ < usage_.first(); ++usage_first_)
    s.out.ledger.erase(UsageRow{usage_first_, {}});
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
  return row;
}

std::vector<SiteRecord> SiteManager::records() const {
  std::vector<SiteRecord> rows;
  for (const LeaseId& id : leases_.all()) rows.emplace_back(record_of(leases_.get(id)));
  for (std::uint64_t number = usage_.first(); number < usage_.next(); ++number)
    rows.emplace_back(UsageRow{number, usage_.records()[static_cast<std::size_t>(number - usage_.first())]});
  for (const SiteName& site : drained_) rows.emplace_back(DrainRecord{site});
  return rows;
}

// ---- reading -------------------------------------------------------------------------------------------------------

void SiteManager::restore(Instant now, std::vector<SiteRecord> rows) {
  DMM_ASSERT(leases_.size() == 0 && queue_.size() == 0);
  std::map<std::uint64_t, UsageRecord> usage;
  for (SiteRecord& row : rows) {
    if (auto* lease = std::get_if<LeaseRecord>(&row)) {
      if (!restore(now, *lease)) changed_leases_.push_back(lease->id);
    }
    if (auto* use = std::get_if<UsageRow>(&row))
      usage.emplace(use->number, std::move(use->use));
    if (auto* drain = std::get_if<DrainRecord>(&row)) drained_.insert(drain->site);
  }
  usage_first_ = usage.empty() ? 1 : usage.begin()->first;
  for (auto& [number, use] : usage) {
    if (use.lease.owner == settings_.name) leases_made_ = std::max(leases_made_, use.lease.epoch.counter);
    const auto peer = neighbours_.find(use.peer);
    if (peer && use.direction == UsageRecord::Direction::lent)
      neighbours_[*peer].lent_processor_microseconds += use.processor_microseconds;
    if (peer && use.direction == UsageRecord::Direction::borrowed)
      neighbours_[*peer].borrowed_processor_microseconds += use.processor_microseconds;
    usage_.restore(number, std::move(use));
  }
  usage_written_ = usage_.next();
  sweep_at(now);
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
  if (borrower_is_gone) {
    add_nodes(lease.cleaning, std::exchange(lease.nodes, {}));
    lease.state = LeaseState::ending;
  }
  // Whoever has it from us may have renewed it in our last moment: a whole term for them to do it again.
  if (lease.downstream) lease.downstream_until = now + settings_.term + settings_.term / owner_margin;
  lease.unsure = lease.upstream.has_value();
  if (lease.unsure) lease.upstream_until = now + settings_.term;
  std::vector<NodeGroup> idle = lease.nodes;
  for (HandedOutRecord& out : row.handed_out) {
    const Party party = job_manager_of(settings_.name, out.user);
    JobManager& user = job_managers_[party];
    user.nodes_until = now + settings_.absent_job_manager;
    user.hold(lease, out.request);
    idle = without(idle, out.nodes);
    lease.handed_out[out.request] = std::move(out.nodes);
  }
  if (!lease.upstream) {
    leases_made_ = std::max(leases_made_, lease.id.epoch.counter);
    if (lease.downstream) processors_lent_ += processors_of(lease.nodes);
    for (const auto* groups : {&lease.nodes, &lease.cleaning})
      for (const NodeGroup& group : *groups) lost_managers_.emplace(group.resource_manager, now);
  }
  lease.changed = lease.state != row.state;
  Lease& kept = leases_.add(std::move(lease));
  if (kept.changed) changed_leases_.push_back(kept.id);
  watch(kept);
  if (kept.upstream && !kept.downstream && !idle.empty()) into_pool(kept, std::move(idle));
  return true;
}

}  // namespace dmm
