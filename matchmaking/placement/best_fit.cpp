// Best fit, the allocation of the BFFF strategy: leaves the large gaps whole (Jones et al. 2004, section
// 4.1).
#include "matchmaking/placement/request_kinds.hpp"

namespace dmm {
namespace {

/// The fullest cluster that can hold the component; room.size() if none can.
std::size_t tightest(const Room& room, std::uint32_t processors) {
  std::size_t best = room.size();
  for (std::size_t cluster = 0; cluster < room.size(); ++cluster) {
    if (!room.fits(cluster, processors)) continue;
    if (best == room.size() || room.left(cluster) < room.left(best)) best = cluster;
  }
  return best;
}

std::optional<Placement> place_tightest(std::span<const std::uint32_t> sizes, Room& room) {
  return place_largest_first(sizes, room, tightest);
}

}  // namespace

std::optional<Placement> best_fit(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  return place_uncut(need, clusters, place_tightest);
}

}  // namespace dmm
