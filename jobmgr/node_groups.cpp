// Groups are few and their sets are ranges: everything here walks.
#include "jobmgr/node_groups.hpp"

#include <algorithm>
#include <utility>

namespace dmm {

NodeSet intersect(const NodeSet& a, const NodeSet& b) { return subtract(a, subtract(a, b)); }

std::vector<NodeGroup> take_out(std::vector<NodeGroup>& held, const std::vector<NodeGroup>& ended) {
  if (ended.empty()) return std::exchange(held, {});
  std::vector<NodeGroup> hit;
  for (NodeGroup& group : held)
    for (const NodeGroup& gone : ended) {
      if (gone.resource_manager != group.resource_manager) continue;
      NodeSet common = intersect(group.nodes, gone.nodes);
      if (common.empty()) continue;
      group.nodes = subtract(group.nodes, common);
      hit.push_back(group);
      hit.back().nodes = std::move(common);
    }
  std::erase_if(held, [](const NodeGroup& group) { return group.nodes.empty(); });
  return hit;
}

std::vector<NodeGroup> without(std::vector<NodeGroup> groups, const std::vector<NodeGroup>& others) {
  if (!others.empty()) take_out(groups, others);
  return groups;
}

void add_routes(Effects& effects, const std::vector<NodeGroup>& nodes, const std::vector<SiteName>& chain) {
  const std::vector<SiteName> path(chain.rbegin(), chain.rend());
  for (auto group = nodes.begin(); group != nodes.end(); ++group)
    if (std::none_of(nodes.begin(), group, [&](const NodeGroup& earlier) {
          return earlier.resource_manager == group->resource_manager;
        }))
      effects.routes.push_back({group->resource_manager, group->endpoint, path});
}

}  // namespace dmm
