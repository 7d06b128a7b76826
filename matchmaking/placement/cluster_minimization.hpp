// What flexible cluster minimization shares with cluster minimization: how components of given sizes are
// placed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "matchmaking/placement/room.hpp"

namespace dmm {

/// Components of the given sizes on few clusters, as figure 1 of Sonmez et al. 2006; a SizesPolicy.
std::optional<Placement> minimize_clusters(std::span<const std::uint32_t> sizes, Room& room);

}  // namespace dmm
