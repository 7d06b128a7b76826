// Why a request was placed as it was: what each placement policy makes of the same clusters, and why one finds
// nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// What one policy makes of a need.
struct PlacementAlternative {
  std::string_view policy;  ///< its canonical name
  std::optional<Placement> placement;
  std::string why_not;  ///< if it finds none
};

/// Why the policy found no placement, in one line.
std::string why_not_placed(const ResourceNeed& need, std::span<const ClusterView> clusters,
                           PlacementPolicy policy);
/// How many clusters the placement uses.
std::size_t clusters_of(const Placement& placement);
/// What all policies make of it, in the order of their table.
std::vector<PlacementAlternative> alternatives_for(const ResourceNeed& need,
                                                   std::span<const ClusterView> clusters);

/// For people, in a line: what was chosen, by which policy, and what the others would have done instead or why
/// they couldn't. As "cm chose 2 clusters: 16 on a/c, 8 on b/c; worst_fit would take 3: 8 on a/c, 8 on b/c, 8 on
/// d/c". Where the policy would have chosen otherwise, "the links" chose (link_price.hpp).
std::string reason_of(const ResourceNeed& need, std::span<const ClusterView> clusters, PlacementPolicy policy,
                      const Placement& chosen);

}  // namespace dmm
