// `left_` starts as whole nodes and only whole nodes are taken. So a component fits exactly if its own processors do,
// without rounding.
#include "matchmaking/placement/room.hpp"

#include <algorithm>
#include <numeric>

namespace dmm {

Room::Room(std::span<const ClusterView> clusters) : clusters_(clusters) {
  left_.reserve(clusters.size());
  for (const auto& cluster : clusters) left_.push_back(usable_processors(cluster));
}

void Room::take(std::size_t cluster, std::uint32_t processors) {
  const std::uint32_t per_node = std::max(clusters_[cluster].processors_per_node, 1U);
  const std::uint32_t partly = processors % per_node;
  left_[cluster] -= processors + (partly == 0 ? 0 : per_node - partly);
}

std::size_t Room::emptiest() const {
  return static_cast<std::size_t>(std::max_element(left_.begin(), left_.end()) - left_.begin());
}

std::vector<std::size_t> Room::emptiest_first() const {
  std::vector<std::size_t> order(left_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return left_[a] != left_[b] ? left_[a] > left_[b] : a < b; });
  return order;
}

std::vector<std::uint32_t> largest_first(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::sort(order.begin(), order.end(), [sizes](std::uint32_t a, std::uint32_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  return order;
}

}  // namespace dmm
