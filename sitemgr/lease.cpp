// Node arithmetic of leases; see lease.hpp.
#include "sitemgr/lease.hpp"

#include <algorithm>
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
  DMM_ASSERT(at.size() <= groups.size());
}

}  // namespace

bool is_alone(const HopLease& lease, const Party& manager) {
  return std::ranges::all_of(lease.nodes,
                             [&](const NodeGroup& group) { return group.resource_manager == manager; });
}

bool is_for_one_component(const HopLease& lease) {
  if (lease.upstream || lease.downstream || lease.nodes.size() != 1) return false;
  return processors_of(lease.nodes) == lease.processors;
}

void add_nodes(std::vector<NodeGroup>& groups, std::vector<NodeGroup> what) {
  if (groups.empty() && what.size() <= 1) return groups.swap(what);
  if (groups.size() + what.size() >= many) return add_many(groups, std::move(what));
  for (NodeGroup& added : what) {
    const auto it = std::find_if(groups.begin(), groups.end(),
                                 [&](const NodeGroup& group) { return same_place(group, added); });
    if (it == groups.end())
      groups.push_back(std::move(added));
    else
      it->nodes = unite(it->nodes, added.nodes);
  }
}

Instant HopLease::deadline(Duration offer) const {
  if (state == LeaseState::ending) return never;
  const Instant until = std::min(upstream_until, downstream_until);
  if (upstream) return until;
  const bool is_offered = state == LeaseState::offered;
  const Instant claimed_by = is_offered ? granted + std::max(offer, held_for) + round_trip * 2 : never;
  return std::min({until, claimed_by, downstream ? limit() : never});
}

}  // namespace dmm
