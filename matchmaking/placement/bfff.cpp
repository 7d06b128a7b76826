// BFFF: few links, and a leftover component doesn't break a large gap (Jones et al. 2004, section 4.1).
#include <vector>

#include "matchmaking/placement/cluster_minimization.hpp"
#include "matchmaking/placement/room.hpp"

namespace dmm {

std::optional<Placement> bfff(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  if (need.kind != RequestKind::flexible || !need.splits.empty()) return best_fit(need, clusters);
  std::optional<Placement> placement = cut_to_gaps(need, clusters);
  if (!placement) return placement;
  PlacedComponent& last = placement->back();
  const Room room(clusters);
  std::vector<bool> taken(room.size());
  for (const PlacedComponent& placed : *placement) taken[placed.cluster] = true;
  for (std::size_t cluster = 0; cluster < room.size(); ++cluster)
    if (room.fits(cluster, last.processors) && room.left(cluster) < room.left(last.cluster) && !taken[cluster])
      last.cluster = cluster;
  return placement;
}

}  // namespace dmm
