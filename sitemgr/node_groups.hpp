// Selects groups of nodes, and the nodes in them, by resource manager.
#pragma once

#include <vector>

#include "protocol/resources.hpp"

namespace dmm {

/// Those of the groups that are of one resource manager.
inline std::vector<NodeGroup> groups_on(const std::vector<NodeGroup>& groups, const Party& manager) {
  std::vector<NodeGroup> found;
  for (const NodeGroup& group : groups)
    if (group.resource_manager == manager) found.push_back(group);
  return found;
}

/// All nodes of one resource manager in these groups.
inline NodeSet nodes_on(const std::vector<NodeGroup>& groups, const Party& manager) {
  NodeSet nodes;
  for (const NodeGroup& group : groups)
    if (group.resource_manager == manager) nodes = unite(nodes, group.nodes);
  return nodes;
}

}  // namespace dmm
