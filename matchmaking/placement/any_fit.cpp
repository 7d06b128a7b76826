// A search with backtracking: the last resort where a policy that places components one after the other finds nothing.
#include <algorithm>
#include <utility>

#include "matchmaking/placement/placement.hpp"
#include "matchmaking/placement/room.hpp"

namespace dmm {
namespace {

/// Tries of one component on one cluster, after which the search is given up: some milliseconds.
constexpr std::uint32_t tries_max = 20'000;

class AnyFit {
 public:
  AnyFit(const ResourceNeed& need, std::span<const ClusterView> clusters) : clusters_(clusters), room_(clusters) {
    for (const Component& component : need.components) sizes_.push_back(component.processors);
    order_ = largest_first(sizes_);
    placement_.resize(sizes_.size());
  }

  std::optional<Placement> find() { return place_from(0, room_) ? std::optional(placement_) : std::nullopt; }

 private:
  /// Places the components from this place in the order on. Of clusters with equal nodes and equal room, only one is
  /// tried.
  bool place_from(std::size_t first, const Room& room) {
    if (first == order_.size()) return true;
    const std::uint32_t component = order_[first], size = sizes_[component];
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tried;
    for (const std::size_t cluster : room.emptiest_first()) {
      const std::pair like{room.left(cluster), clusters_[cluster].processors_per_node};
      if (!room.fits(cluster, size)) return false;
      if (std::ranges::find(tried, like) != tried.end()) continue;
      if (++tries_ > tries_max) return false;
      tried.push_back(like);
      Room rest = room;
      rest.take(cluster, size);
      placement_[component] = {component, cluster, size};
      if (place_from(first + 1, rest)) return true;
    }
    return false;
  }

  std::span<const ClusterView> clusters_;
  Room room_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> order_;
  Placement placement_;
  std::uint32_t tries_ = 0;
};

}  // namespace

std::optional<Placement> any_fit(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  if (need.kind != RequestKind::non_fixed || need.components.size() < 2) return std::nullopt;
  return AnyFit(need, clusters).find();
}

}  // namespace dmm
