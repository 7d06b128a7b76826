// Capacity as the checkers count it: on purpose not with the managers' own arithmetic.
#pragma once

#include <cstdint>

#include "topologies/topology.hpp"

namespace dmm {

/// Processors of the whole nodes needed for this many; `width` is the processors of a node.
constexpr std::uint64_t whole_nodes(std::uint64_t processors, std::uint64_t width) {
  return (processors + width - 1) / width * width;
}

/// A cluster with all its nodes.
struct Room {
  std::uint64_t processors = 0;  ///< usable
  std::uint32_t width = 1;       ///< processors of a node; jobs don't share a node
};

/// Processors of this many nodes of a cluster that requests may use.
inline std::uint64_t usable(const TopologyCluster& cluster, std::uint64_t nodes) {
  const auto processors = static_cast<double>(nodes * cluster.processors_per_node);
  return static_cast<std::uint64_t>(cluster.quota * processors + 1e-9);
}

}  // namespace dmm
