// What people are told of a site's own nodes.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.hpp"

namespace dmm {

/// A resource manager and its nodes.
struct OwnedManagerView {
  Party party;
  ClusterName cluster;
  std::uint32_t nodes = 0, processors_per_node = 1, free_nodes = 0;
  bool up = false;
  NodeSet aside;                 ///< nodes on which nothing is placed
  std::uint32_t aside_free = 0;  ///< how many of them would be free
  std::string why_aside;
  bool registered = false;  ///< since this start
};

/// A cluster and its processors.
struct OwnedClusterView {
  ClusterName name;
  std::uint32_t processors = 0, free = 0, processors_per_node = 1;
  double quota = 1.0;
  std::uint32_t size = 0;  ///< what can be, in processors
};

}  // namespace dmm
