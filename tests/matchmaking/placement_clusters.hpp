// Clusters for tests of placement.
#pragma once

#include <string>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// Idle clusters of one site, c1, c2, ...: `idle` has the processors of each.
inline std::vector<ClusterView> clusters_with(const std::vector<std::uint32_t>& idle) {
  std::vector<ClusterView> clusters;
  for (const std::uint32_t count : idle) {
    ClusterView view;
    view.site = SiteName("s");
    view.name = ClusterName("c" + std::to_string(clusters.size() + 1));
    view.idle_processors = view.total_processors = count;
    clusters.push_back(view);
  }
  return clusters;
}

}  // namespace dmm
