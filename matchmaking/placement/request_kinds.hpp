// What every placement policy does alike with the kinds of request (Sonmez et al. 2006, section 2.2), so that
// a policy file holds only what is its own: how it places components of given sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "matchmaking/placement/placement.hpp"
#include "matchmaking/placement/room.hpp"

namespace dmm {

/// Places components of the given sizes anywhere, or fails. It owns the room and may spoil it. The sizes are
/// never empty, and the largest fits some cluster.
using SizesPolicy = std::optional<Placement> (*)(std::span<const std::uint32_t> sizes, Room& room);

/// Components in decreasing size, each on the cluster that `choose(room, size)` names; nothing if it names one
/// without room, or none: room.size().
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

/// Each component on the cluster it names (and site, if it names one), or nothing. Where a name fits clusters
/// of several sites, the first with room is taken; components that name their site come first.
std::optional<Placement> place_fixed(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Components of the given sizes by `policy`, or nothing.
std::optional<Placement> place_sizes(std::span<const std::uint32_t> sizes, std::span<const ClusterView> clusters,
                                     SizesPolicy policy);

/// The first of the need's acceptable splits that `policy` can place and that keeps the need's bounds, or
/// nothing.
std::optional<Placement> place_splits(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                      SizesPolicy policy);

/// Any need, by a policy that can't cut one into components: a flexible need without splits is placed as one
/// component.
std::optional<Placement> place_uncut(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                     SizesPolicy policy);

}  // namespace dmm
