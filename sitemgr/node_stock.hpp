// The records of OwnedNodes: a resource manager with its free nodes, and what there is of each kind of node in
// each cluster. Plain values; NodeSums has the sums, and OwnedNodes keeps them right.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sitemgr/node_map.hpp"
#include "sitemgr/node_offer.hpp"

namespace dmm::node_stock {

/// A resource manager of this site.
struct Manager {
  NodeOffer offer;
  std::string endpoint;
  std::size_t cluster = 0;
  std::size_t kind = 0;     ///< in kinds_
  bool registered = false;  ///< since this start
  bool up = false;
  NodeMap free;
  NodeSet aside = {};       ///< nothing is placed on these
  NodeSet aside_free = {};  ///< of these, those that would be free
  std::string why_aside = {};
  Instant expected_until = never;  ///< its host's users are expected to want it back then; `never`: not known
};

/// Managers that are up, by their free nodes, then by how long these are expected to be spared.
using ByFree = std::set<std::tuple<std::uint32_t, Instant, Party>>;

/// All nodes of one kind in one cluster.
struct Stock {
  std::uint32_t free = 0, total = 0, size = 0;  ///< processors of managers that are up; that registered; of all
  ByFree by_free;
};

/// Nodes that are alike.
struct Kind {
  NodeProperties properties;
  std::vector<Stock> stocks;  ///< by cluster
};

}  // namespace dmm::node_stock
