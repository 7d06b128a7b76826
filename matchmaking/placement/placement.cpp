// The processors that a cluster offers to placement.
#include "matchmaking/placement/placement.hpp"

#include <algorithm>
#include <cmath>

namespace dmm {

std::uint32_t usable_processors(const ClusterView& cluster) {
  if (!cluster.meets_constraints) return 0;
  std::uint32_t usable = std::min(cluster.idle_processors, cluster.total_processors);
  if (cluster.quota < 1.0) {
    // The tiny addend keeps 0.29 * 100 at 29, which is 28.999... in binary.
    const double filled_max = std::floor(std::max(cluster.quota, 0.0) * cluster.total_processors + 1e-6);
    const auto allowed = static_cast<std::uint32_t>(filled_max);
    const std::uint32_t in_use = cluster.total_processors - usable;
    usable = allowed > in_use ? std::min(usable, allowed - in_use) : 0;
  }
  return usable - usable % std::max(cluster.processors_per_node, 1U);
}

}  // namespace dmm
