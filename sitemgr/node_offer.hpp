// What a resource manager offers: nodes of one kind in one cluster.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "protocol/messages.hpp"

namespace dmm {

/// What all nodes of a resource manager have in common.
struct NodeProperties {
  std::uint64_t memory_bytes = 0;
  Attributes attributes;
  auto operator<=>(const NodeProperties&) const = default;
};
/// Whether the nodes have all that is wanted of them.
inline bool meets(const NodeProperties& nodes, const Constraints& constraints) {
  if (nodes.memory_bytes < constraints.memory_bytes) return false;
  return std::ranges::all_of(constraints.attributes, [&](const auto& wanted) {
    const auto it = nodes.attributes.find(wanted.first);
    return it != nodes.attributes.end() && it->second == wanted.second;
  });
}

/// What a resource manager offers, to be found again after a restart.
struct NodeOffer {
  Party manager;
  ClusterName cluster;
  std::uint32_t nodes = 0;  ///< numbered from 0
  std::uint32_t processors_per_node = 1;
  NodeProperties properties;
  NodeSet absent;  ///< numbers that are no nodes of it any more
  auto operator<=>(const NodeOffer&) const = default;
};
NodeOffer offer_of(const Party& manager, const Register& message);
/// The numbers that are nodes of it.
NodeSet nodes_of(const NodeOffer& offer);

}  // namespace dmm
