// Worst fit, the default policy of KOALA: keeps the load of the clusters even (Sonmez et al. 2006, section
// 4).
#include "matchmaking/placement/request_kinds.hpp"

namespace dmm {
namespace {

std::size_t emptiest(const Room& room, std::uint32_t) {
  std::size_t best = 0;
  for (std::size_t cluster = 1; cluster < room.size(); ++cluster)
    if (room.left(cluster) > room.left(best)) best = cluster;
  return best;
}

std::optional<Placement> place_emptiest(std::span<const std::uint32_t> sizes, Room& room) {
  return place_largest_first(sizes, room, emptiest);
}

}  // namespace

std::optional<Placement> worst_fit(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  return place_uncut(need, clusters, place_emptiest);
}

}  // namespace dmm
