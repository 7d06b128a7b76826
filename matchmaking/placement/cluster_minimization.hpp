// Code that policies for few clusters share: how components of given sizes are placed, and how a flexible need is cut.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "matchmaking/placement/room.hpp"

namespace dmm {

/// Components of the given sizes on few clusters, as figure 1 of Sonmez et al. 2006; a SizesPolicy.
std::optional<Placement> minimize_clusters(std::span<const std::uint32_t> sizes, Room& room);

/// A flexible need without splits, cut into the fewest components. The emptiest clusters are filled to the brim, and
/// the rest goes to the next one.
std::optional<Placement> cut_to_gaps(const ResourceNeed& need, std::span<const ClusterView> clusters);

}  // namespace dmm
