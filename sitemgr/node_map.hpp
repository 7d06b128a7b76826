// The free nodes of one resource manager, as a bit a node: taking the lowest and putting back cost a few words each,
// however fragmented the nodes are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "protocol/resources.hpp"

namespace dmm {

class NodeMap {
 public:
  NodeMap() = default;
  /// All nodes 0 .. nodes-1 are in the map.
  explicit NodeMap(std::uint32_t nodes);

  /// Makes room for nodes 0 .. nodes-1; new ones aren't in the map.
  void grow(std::uint32_t nodes) { words_.resize(std::max<std::size_t>(words_.size(), (nodes + 63) / 64), 0); }
  std::uint32_t count() const { return count_; }
  /// Takes the lowest `wanted` nodes, which must be there.
  NodeSet take(std::uint32_t wanted);
  /// Puts nodes back that must not be there.
  void put(const NodeSet& nodes);
  /// Takes those of the nodes that are there; nodes beyond the last are not.
  NodeSet remove(const NodeSet& nodes);
  bool has(std::uint32_t node) const {
    return node / 64 < words_.size() && ((words_[node / 64] >> (node % 64)) & 1);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t count_ = 0;
  std::size_t lowest_ = 0;  ///< no word below this one has a node
};

}  // namespace dmm
