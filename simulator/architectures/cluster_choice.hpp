// Which cluster a job gets if it fits on several: the placement rules of the models with a central queue.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/architectures/parameters.hpp"

namespace dmm {

/// The cluster for a job of this many processors; nothing if no cluster has enough idle. `idle(c)` returns the idle
/// processors of cluster c.
template <class Idle>
std::optional<std::uint32_t> choose_cluster(ClusterChoice choice, std::uint32_t clusters, std::uint32_t home,
                                            std::uint32_t processors, const Idle& idle) {
  if (choice == ClusterChoice::home && idle(home) >= processors) return home;
  std::optional<std::uint32_t> best;
  std::uint32_t idle_of_best = 0;
  for (std::uint32_t cluster = 0; cluster < clusters; ++cluster) {
    const std::uint32_t here = idle(cluster);
    if (here < processors) continue;
    const bool is_better = choice == ClusterChoice::best_fit ? here < idle_of_best : here > idle_of_best;
    if (best && (choice == ClusterChoice::numbered || !is_better)) continue;
    best = cluster;
    idle_of_best = here;
  }
  return best;
}

}  // namespace dmm
