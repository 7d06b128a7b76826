// Node arithmetic of leases, and the table's indices; see lease.hpp.
#include "sitemgr/lease.hpp"

#include <algorithm>

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
