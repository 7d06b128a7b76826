// Which leases an owner takes back for one of its own users: the fewest, and of as many the cheapest, with which the
// waiting request really starts, in a cluster that can hold it and on nodes that have what it demands. If no choice of
// them lets it start, nothing is taken: work would be lost for nothing.
//
// For a request of one component that is the best there is, while leases x leases taken x units wanted come to at most
// 2,000,000 (a unit: what all sizes are multiples of). Beyond that as few leases are taken, and those that can be are
// swapped for cheaper ones. For a request of several components it is the best choice of up to ten leases; of more, the
// best of one cluster, or else few ones of all. Where the policy would place it nowhere, few ones with which another
// assignment of its components does (any_fit).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// A lease that may be taken back.
struct VictimView {
  std::vector<std::uint32_t> freed;  ///< by cluster: processors of its nodes that the request could use
  std::uint64_t cost = 0;            ///< what is lost with it: processor seconds since it was granted
};

/// The choice, as indices, and where the request will start.
struct Victims {
  std::vector<std::size_t> leases;
  Placement placement;
};

/// `clusters` as they are now; `place` is the policy that will place the request when the nodes are free.
std::optional<Victims> choose_victims(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                      std::span<const VictimView> leases, PlacementPolicy place);

}  // namespace dmm
