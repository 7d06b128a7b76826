// Placement on this site's clusters, by the policies of its configuration.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "matchmaking/policy.hpp"

namespace dmm {

struct Placer {
  PlacementPolicy fixed = nullptr;     ///< for requests with components of a given size
  PlacementPolicy flexible = nullptr;  ///< for requests that the site divides

  PlacementPolicy policy_for(const ResourceNeed& need) const {
    return need.kind == RequestKind::flexible ? flexible : fixed;
  }
  /// By the policy; else by any fit: a request that the policy misses beside nodes that it fits would wait for ever,
  /// since no policy moves a component again.
  std::optional<Placement> place(const ResourceNeed& need, const std::vector<ClusterView>& clusters) const {
    auto placement = policy_for(need)(need, clusters);
    return placement ? std::move(placement) : any_fit(need, clusters);
  }
};

}  // namespace dmm
