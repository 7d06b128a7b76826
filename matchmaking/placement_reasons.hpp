// Why a request was placed as it was: the placements of all policies on the same clusters, and why a policy finds none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// The placement of a need by one policy.
struct PlacementAlternative {
  std::string_view policy;  ///< its canonical name
  std::optional<Placement> placement;
  std::string why_not;  ///< if it finds no placement
};

/// Why the policy found no placement, in one line.
std::string why_not_placed(const ResourceNeed& need, std::span<const ClusterView> clusters,
                           PlacementPolicy policy);
/// The number of clusters that the placement uses.
std::size_t clusters_of(const Placement& placement);
/// The placements of all policies, in the order of their table.
std::vector<PlacementAlternative> alternatives_for(const ResourceNeed& need,
                                                   std::span<const ClusterView> clusters);

/// For people, in a line: the choice and its policy, and what each other policy would have chosen, or why it finds
/// nothing. As "cm chose 2 clusters: 16 on a/c, 8 on b/c; worst_fit would take 3: 8 on a/c, 8 on b/c, 8 on d/c". If the
/// policy itself would have chosen another placement, "the links" chose (link_price.hpp).
std::string reason_of(const ResourceNeed& need, std::span<const ClusterView> clusters, PlacementPolicy policy,
                      const Placement& chosen);

}  // namespace dmm
