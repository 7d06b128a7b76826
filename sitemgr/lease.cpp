// Node arithmetic of leases, and the table's indices; see lease.hpp.
#include "sitemgr/lease.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "machine/assert.hpp"

namespace dmm {
namespace {

bool same_place(const NodeGroup& a, const NodeGroup& b) {
  return a.component == b.component && a.resource_manager == b.resource_manager;
}

}  // namespace

std::vector<NodeGroup> remove_nodes(std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& what) {
  if (what.empty()) return std::exchange(groups, {});
  std::vector<NodeGroup> removed;
  for (const NodeGroup& wanted : what) {
    for (NodeGroup& group : groups) {
      // The component says which process uses the nodes, not which nodes they are: a reused node may change it.
      if (group.resource_manager != wanted.resource_manager) continue;
      if (!group.nodes.empty() && group.nodes == wanted.nodes) {
        removed.push_back(std::exchange(group, {}));
        continue;
      }
      NodeSet rest = subtract(group.nodes, wanted.nodes);
      if (rest == group.nodes) continue;
      NodeGroup gone = group;
      gone.nodes = subtract(group.nodes, rest);
      group.nodes = std::move(rest);
      removed.push_back(std::move(gone));
    }
  }
  std::erase_if(groups, [](const NodeGroup& group) { return group.nodes.empty(); });
  return removed;
}

void add_nodes(std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& what) {
  for (const NodeGroup& added : what) {
    const auto it =
        std::find_if(groups.begin(), groups.end(), [&](const NodeGroup& group) { return same_place(group, added); });
    if (it == groups.end())
      groups.push_back(added);
    else
      it->nodes = unite(it->nodes, added.nodes);
  }
}

Instant Lease::deadline(Duration offer) const {
  if (state == LeaseState::ending) return never;
  const Instant until = std::min(upstream_until, downstream_until);
  return !upstream && state == LeaseState::offered ? std::min(until, granted + offer) : until;
}

void LeaseTable::watch(const Lease& lease) {
  const Instant deadline = lease.deadline(offer_);
  if (deadline == never) return;
  watched_.emplace_back(deadline, lease.id);
  std::push_heap(watched_.begin(), watched_.end(), std::greater<>());
}

Lease* LeaseTable::take_over(Instant now) {
  while (next_deadline() <= now) {
    std::pop_heap(watched_.begin(), watched_.end(), std::greater<>());
    Lease* lease = leases_.find(watched_.back().second);
    watched_.pop_back();
    if (!lease) continue;
    if (lease->deadline(offer_) <= now) return lease;
    watch(*lease);  // renewed since it was put here
  }
  return nullptr;
}

Lease& LeaseTable::add(Lease lease) {
  const LeaseId id = lease.id;
  DMM_ASSERT(!leases_.contains(id));
  all_.insert(id);
  if (lease.upstream) up_[*lease.upstream].insert(id);
  if (lease.downstream) down_[*lease.downstream].insert(id);
  return leases_[id] = std::move(lease);
}

void LeaseTable::erase(const LeaseId& id) {
  const Lease* lease = leases_.find(id);
  DMM_ASSERT(lease);
  if (lease->upstream) up_[*lease->upstream].erase(id);
  if (lease->downstream) down_[*lease->downstream].erase(id);
  const LeaseId gone = id;  // `id` may live in the lease
  all_.erase(gone);
  leases_.erase(gone);
}

}  // namespace dmm
