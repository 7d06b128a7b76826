// Indices of leases, and their rows; see lease_book.hpp.
#include "sitemgr/lease_book.hpp"

#include <functional>

#include "manager/assert.hpp"
#include "sitemgr/lease_mould.hpp"

namespace dmm {
namespace {

/// From this number of groups of nodes on, resource managers are looked up in a set.
constexpr std::size_t wide_from = 16;

/// A resource manager says each minute that its part of a lease isn't used; what it said holds this long.
constexpr Duration idle_word = seconds(150);

}  // namespace

void LeaseBook::watch(const HopLease& lease) {
  const Instant deadline = lease.deadline(offer_);
  if (deadline == never) return;
  DMM_ASSERT(leases_.contains(lease.id));
  if (watched_.size() >= sweep_at_) sweep();
  watched_.emplace_back(deadline, lease.id);
  std::push_heap(watched_.begin(), watched_.end(), std::greater<>());
  DMM_ASSERT(watched_.front().first <= deadline);
}

void LeaseBook::sweep() {
  std::erase_if(watched_, [&](const Watched& watched) { return !leases_.contains(watched.second); });
  std::make_heap(watched_.begin(), watched_.end(), std::greater<>());
  sweep_at_ = std::max(sweep_first, watched_.size() * 2);
}

HopLease* LeaseBook::take_over(Instant now) {
  while (next_deadline() <= now) {
    std::pop_heap(watched_.begin(), watched_.end(), std::greater<>());
    HopLease* lease = find(watched_.back().second);
    watched_.pop_back();
    if (!lease) continue;
    if (lease->deadline(offer_) <= now) {
      DMM_ASSERT(lease->state != LeaseState::ending);
      return lease;
    }
    watch(*lease);  // renewed since it was put here
  }
  return nullptr;
}

HopLease& LeaseBook::add(HopLease lease) {
  DMM_ASSERT(!leases_.contains(lease.id) && lease.managers.empty());
  DMM_ASSERT(!lease.upstream || *lease.upstream < up_.size());
  DMM_ASSERT(!lease.downstream || *lease.downstream < down_.size());
  if (lease.upstream) up_[*lease.upstream].insert(lease.id);
  if (lease.downstream) down_[*lease.downstream].insert(lease.id);
  if (lease.wanted) wanted_.insert(lease.id);
  HopLease& kept = leases_[lease.id] = std::move(lease);
  DenseSet<Party> managers;
  const bool is_wide = kept.nodes.size() + kept.cleaning.size() >= wide_from;
  for (const std::vector<NodeGroup>* groups : kept.all_nodes())
    for (const NodeGroup& group : *groups) {
      if (!is_wide)
        add_manager(kept, group.resource_manager);
      else if (managers.insert(group.resource_manager).second)
        add_new_manager(kept, group.resource_manager);
    }
  DMM_ASSERT(kept.managers.empty() == (kept.nodes.empty() && kept.cleaning.empty()));
  return kept;
}

bool LeaseBook::add_manager(HopLease& lease, const Party& manager) {
  DMM_ASSERT(leases_.contains(lease.id));
  if (std::ranges::find(lease.managers, manager) != lease.managers.end()) return false;
  add_new_manager(lease, manager);
  return true;
}

void LeaseBook::add_new_manager(HopLease& lease, const Party& manager) {
  lease.managers.push_back(manager);
  if (lease.upstream) return;
  const bool is_new = by_manager_[manager].insert(lease.id).second;
  DMM_ASSERT(is_new);
}

std::vector<LeaseId> LeaseBook::on(const Party& manager) const {
  const auto found = by_manager_.find(manager);
  if (found == by_manager_.end()) return {};
  DMM_ASSERT(!found->second.empty());
  return {found->second.begin(), found->second.end()};
}

void LeaseBook::erase(const LeaseId& id) {
  const HopLease* lease = leases_.find(id);
  DMM_ASSERT(lease);
  if (lease->upstream) DMM_ASSERT(up_[*lease->upstream].erase(id) == 1);
  if (lease->downstream) DMM_ASSERT(down_[*lease->downstream].erase(id) == 1);
  for (const Party& manager : lease->managers) {
    if (lease->upstream) break;
    const auto leases = by_manager_.find(manager);
    DMM_ASSERT(leases != by_manager_.end());
    DMM_ASSERT(leases->second.erase(id) == 1);
    if (leases->second.empty()) by_manager_.erase(leases);
  }
  if (!idle_said_.empty()) idle_said_.erase(id);
  if (lease->wanted) DMM_ASSERT(wanted_.erase(id) == 1);
  leases_.erase(id);
  DMM_ASSERT(wanted_.size() <= leases_.size());
}

void LeaseBook::set_wanted(HopLease& lease, bool wanted) {
  DMM_ASSERT(leases_.contains(lease.id));
  lease.wanted = wanted;
  if (wanted)
    wanted_.insert(lease.id);
  else
    wanted_.erase(lease.id);
  DMM_ASSERT(wanted_.size() <= leases_.size());
}

// ---- idle nodes ----------------------------------------------------------------------------------------------------

bool LeaseBook::is_idle_everywhere(Instant now, const HopLease& lease, const Party& provider) {
  DMM_ASSERT(leases_.contains(lease.id) && !lease.upstream);
  if (is_alone(lease, provider)) return true;
  std::map<Party, Instant>& said = idle_said_[lease.id];
  said[provider] = now;
  const bool everywhere = std::ranges::all_of(lease.nodes, [&](const NodeGroup& group) {
    const auto at = said.find(group.resource_manager);
    return at != said.end() && now - at->second < idle_word;
  });
  if (everywhere) idle_said_.erase(lease.id);
  return everywhere;
}

void LeaseBook::pool(HopLease& lease) {
  if (std::exchange(lease.pooled, true)) return;
  DMM_ASSERT(leases_.contains(lease.id));
  pooled_.push_back(lease.id);
}

// ---- the ledger ----------------------------------------------------------------------------------------------------

void LeaseBook::mark_changed(HopLease& lease) {
  if (std::exchange(lease.changed, true)) return;
  DMM_ASSERT(leases_.contains(lease.id));
  changed_.push_back(lease.id);
}

void LeaseBook::write(const Neighbours& neighbours, LedgerChanges<SiteRecord>& ledger) {
  if (!ledger.wanted) return changed_.clear();
  for (const LeaseId& id : std::exchange(changed_, {})) {
    HopLease* lease = find(id);
    if (lease) {
      lease->changed = false;
      ledger.put(record_of(*lease, neighbours));
    } else {
      LeaseRecord gone;
      gone.id = id;
      ledger.erase(std::move(gone));
    }
  }
}

void LeaseBook::add_records(const Neighbours& neighbours, std::vector<SiteRecord>& rows) const {
  for (const LeaseId& id : all()) rows.emplace_back(record_of(get(id), neighbours));
}

}  // namespace dmm
