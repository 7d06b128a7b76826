// Which leases an owner reclaims for one of its own users. It takes the fewest leases, and of equally few the cheapest,
// with which the waiting request really starts: in a cluster that can hold it, on nodes that meet its demands. If no
// choice lets the request start, nothing is taken: work would be lost for nothing.
//
// For a request of one component the choice is optimal while leases x leases taken x units wanted is at most 2,000,000
// (a unit divides all sizes). Beyond that, equally few leases are taken, and those that can be are swapped for cheaper
// ones.
//
// For a request of several components, the best choice among up to ten leases is found. Of more leases, it is the best
// choice in one cluster, or else few leases of all clusters. If the policy would place the request nowhere, few leases
// with which another assignment of its components works (any_fit).
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
  std::uint64_t cost = 0;            ///< work lost with it: processor seconds since it was granted
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
