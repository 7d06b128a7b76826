// The handling of the kinds of request, common to all placement policies (Sonmez et al. 2006, section 2.2). So a
// policy's file only has how it places components of given sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "matchmaking/placement/placement.hpp"
#include "matchmaking/placement/room.hpp"

namespace dmm {

/// Places components of the given sizes anywhere, or fails. It owns the room, and may leave it in any state. The sizes
/// are never empty, and the largest fits some cluster.
using SizesPolicy = std::optional<Placement> (*)(std::span<const std::uint32_t> sizes, Room& room);

/// Components in decreasing size, each on the cluster that `choose(room, size)` names. Nothing if that cluster has no
/// room, or if it is none: room.size().
template <class Choose>
std::optional<Placement> place_largest_first(std::span<const std::uint32_t> sizes, Room& room, Choose choose) {
  Placement placement(sizes.size());
  for (const std::uint32_t component : largest_first(sizes)) {
    const std::size_t cluster = choose(room, sizes[component]);
    if (cluster == room.size() || !room.fits(cluster, sizes[component])) return std::nullopt;
    room.take(cluster, sizes[component]);
    placement[component] = {component, cluster, sizes[component]};
  }
  return placement;
}

/// Each component on the cluster it names (and site, if it names one), or nothing. If several sites have a cluster of
/// that name, the first with room is taken. Components that name their site come first.
std::optional<Placement> place_fixed(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Components of the given sizes by `policy`, or nothing.
std::optional<Placement> place_sizes(std::span<const std::uint32_t> sizes, std::span<const ClusterView> clusters,
                                     SizesPolicy policy);

/// The first of the need's acceptable splits that `policy` can place and that keeps the need's bounds, or
/// nothing.
std::optional<Placement> place_splits(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                      SizesPolicy policy);

/// Any need, by a policy that can't cut a need into components: a flexible need without splits is placed as one
/// component.
std::optional<Placement> place_uncut(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                     SizesPolicy policy);

}  // namespace dmm
