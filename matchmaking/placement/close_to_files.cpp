// Close to files, of KOALA: each component goes where its input files can be soonest (Mohamed and Epema 2005, section
// 2.6).
#include "matchmaking/placement/request_kinds.hpp"

namespace dmm {
namespace {

/// The cluster with room where the files are soonest; of equal ones the emptiest, as in worst fit. room.size() if none
/// has room.
std::size_t closest(const Room& room, std::uint32_t processors) {
  std::size_t best = room.size();
  for (std::size_t cluster = 0; cluster < room.size(); ++cluster) {
    if (!room.fits(cluster, processors)) continue;
    const bool is_better = best == room.size() || room.staging(cluster) < room.staging(best) ||
                           (room.staging(cluster) == room.staging(best) && room.left(cluster) > room.left(best));
    if (is_better) best = cluster;
  }
  return best;
}

std::optional<Placement> place_closest(std::span<const std::uint32_t> sizes, Room& room) {
  return place_largest_first(sizes, room, closest);
}

}  // namespace

std::optional<Placement> close_to_files(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  return place_uncut(need, clusters, place_closest);
}

}  // namespace dmm
