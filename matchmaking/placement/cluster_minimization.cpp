// Cluster minimization: fills the emptiest cluster before the next one. So a job spans few clusters, and little of its
// communication leaves a cluster (Sonmez et al. 2006, section 4.1).
#include "matchmaking/placement/cluster_minimization.hpp"

#include "matchmaking/placement/request_kinds.hpp"

namespace dmm {

std::optional<Placement> minimize_clusters(std::span<const std::uint32_t> sizes, Room& room) {
  if (sizes.size() == 1 && room.size() > 0) {  // if any has room, the emptiest has: no order is needed
    const std::size_t cluster = room.emptiest();
    if (!room.fits(cluster, sizes[0])) return std::nullopt;
    return Placement{{0, cluster, sizes[0]}};
  }
  const auto clusters = room.emptiest_first();  // the order at the start, whatever is taken
  Placement placement(sizes.size());
  for (const std::uint32_t component : largest_first(sizes)) {
    std::size_t at = 0;
    while (at < clusters.size() && !room.fits(clusters[at], sizes[component])) ++at;
    if (at == clusters.size()) return std::nullopt;
    room.take(clusters[at], sizes[component]);
    placement[component] = {component, clusters[at], sizes[component]};
  }
  return placement;
}

std::optional<Placement> cluster_minimization(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  return place_uncut(need, clusters, minimize_clusters);
}

}  // namespace dmm
