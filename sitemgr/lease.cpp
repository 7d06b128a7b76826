// Node arithmetic of leases, and the table's indices; see lease.hpp.
#include "sitemgr/lease.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Where a group of nodes is to be merged with others.
using Place = std::pair<std::uint32_t, Party>;
Place place_of(const NodeGroup& group) { return {group.component, group.resource_manager}; }

bool same_place(const NodeGroup& a, const NodeGroup& b) {
  return a.component == b.component && a.resource_manager == b.resource_manager;
}

/// Fewer groups than this are compared one by one.
constexpr std::size_t many = 16;

/// The same as add_nodes, found by an index.
void add_many(std::vector<NodeGroup>& groups, std::vector<NodeGroup> what) {
  DenseMap<Place, std::size_t> at;
  for (std::size_t i = 0; i < groups.size(); ++i) at.emplace(place_of(groups[i]), i);
  for (NodeGroup& added : what) {
    const auto [known, is_new] = at.emplace(place_of(added), groups.size());
    if (is_new)
      groups.push_back(std::move(added));
    else
      groups[known->second].nodes = unite(groups[known->second].nodes, added.nodes);
  }
}

}  // namespace

bool is_alone(const Lease& lease, const Party& manager) {
  return std::ranges::all_of(lease.nodes, [&](const NodeGroup& group) { return group.resource_manager == manager; });
}

bool is_for_one_component(const Lease& lease) {
  if (lease.upstream || lease.downstream || lease.nodes.size() != 1) return false;
  return processors_of(lease.nodes) == lease.processors;
}

void add_nodes(std::vector<NodeGroup>& groups, std::vector<NodeGroup> what) {
  if (groups.empty() && what.size() <= 1) return groups.swap(what);
  if (groups.size() + what.size() >= many) return add_many(groups, std::move(what));
  for (NodeGroup& added : what) {
    const auto it =
        std::find_if(groups.begin(), groups.end(), [&](const NodeGroup& group) { return same_place(group, added); });
    if (it == groups.end())
      groups.push_back(std::move(added));
    else
      it->nodes = unite(it->nodes, added.nodes);
  }
}

Instant Lease::deadline(Duration offer) const {
  if (state == LeaseState::ending) return never;
  const Instant until = std::min(upstream_until, downstream_until);
  if (upstream) return until;
  const Instant claimed_by = state == LeaseState::offered ? granted + offer + round_trip * 2 : never;
  return std::min({until, claimed_by, downstream ? limit() : never});
}

void LeaseTable::watch(const Lease& lease) {
  const Instant deadline = lease.deadline(offer_);
  if (deadline == never) return;
  if (watched_.size() >= sweep_at_) sweep();
  watched_.emplace_back(deadline, lease.id);
  std::push_heap(watched_.begin(), watched_.end(), std::greater<>());
}

void LeaseTable::sweep() {
  std::erase_if(watched_, [&](const Watched& watched) { return !leases_.contains(watched.second); });
  std::make_heap(watched_.begin(), watched_.end(), std::greater<>());
  sweep_at_ = std::max(sweep_first, watched_.size() * 2);
}

Lease* LeaseTable::take_over(Instant now) {
  while (next_deadline() <= now) {
    std::pop_heap(watched_.begin(), watched_.end(), std::greater<>());
    Lease* lease = find(watched_.back().second);
    watched_.pop_back();
    if (!lease) continue;
    if (lease->deadline(offer_) <= now) return lease;
    watch(*lease);  // renewed since it was put here
  }
  return nullptr;
}

Lease& LeaseTable::add(Lease lease) {
  DMM_ASSERT(!leases_.contains(lease.id));
  if (lease.upstream) up_[*lease.upstream].insert(lease.id);
  if (lease.downstream) down_[*lease.downstream].insert(lease.id);
  Lease& kept = leases_[lease.id] = std::move(lease);
  DenseSet<Party> managers;
  const bool is_wide = kept.nodes.size() + kept.cleaning.size() >= many;
  for (const auto* groups : {&kept.nodes, &kept.cleaning})
    for (const NodeGroup& group : *groups) {
      if (!is_wide)
        add_manager(kept, group.resource_manager);
      else if (managers.insert(group.resource_manager).second)
        add_new_manager(kept, group.resource_manager);
    }
  return kept;
}

void LeaseTable::add_manager(Lease& lease, const Party& manager) {
  if (std::ranges::find(lease.managers, manager) != lease.managers.end()) return;
  add_new_manager(lease, manager);
}

void LeaseTable::add_new_manager(Lease& lease, const Party& manager) {
  lease.managers.push_back(manager);
  if (!lease.upstream) by_manager_[manager].insert(lease.id);
}

std::vector<LeaseId> LeaseTable::on(const Party& manager) const {
  const auto found = by_manager_.find(manager);
  if (found == by_manager_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

void LeaseTable::erase(const LeaseId& id) {
  const Lease* lease = leases_.find(id);
  DMM_ASSERT(lease);
  if (lease->upstream) up_[*lease->upstream].erase(id);
  if (lease->downstream) down_[*lease->downstream].erase(id);
  for (const Party& manager : lease->managers) {
    if (lease->upstream) break;
    const auto leases = by_manager_.find(manager);
    leases->second.erase(id);
    if (leases->second.empty()) by_manager_.erase(leases);
  }
  leases_.erase(id);
}

}  // namespace dmm
