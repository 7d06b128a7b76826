// Placement: which cluster gets which component of a request. A policy is a pure function from a need and a snapshot of
// clusters to a placement of the whole need, or to nothing: there are no partial answers. It promises nothing about the
// moment after the snapshot; the holder of the nodes decides then.
//
// Rules of all policies:
//  - Whole nodes are taken. A component of n processors on a cluster with p for each node takes ceil(n / p) * p of
//    its idle processors, and several components on one cluster share no node.
//  - A cluster offers its *usable* processors (below), not its idle ones. Where a paper orders clusters by idle
//    processors, they are ordered by usable ones. Equal clusters stay in the order of the input.
//  - A fixed need goes to the sites and clusters it names or nowhere, whatever the policy.
//  - A flexible need with a list of acceptable splits takes the first split that the policy can place. A split that
//    contradicts the need's own bounds (component_processors_min, components_max) is passed over.
//  - Components of given sizes are placed one after the other and never moved again, as in the papers. So a policy
//    may fail where another assignment of unequal components works (any_fit then finds it). Components of equal
//    size are always placed if that is possible.
//  - The need must make sense (fault_of in protocol/resources.hpp is empty).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// A cluster as a placement policy sees it. Counts are of processors.
struct ClusterView {
  SiteName site;
  ClusterName name;
  std::uint32_t idle_processors = 0;
  std::uint32_t total_processors = 0;
  std::uint32_t processors_per_node = 1;
  double quota = 1.0;  ///< the fraction of total_processors that may be filled; the rest is for local users
  bool meets_constraints = true;  ///< whether its nodes have what the need's constraints ask for
  Duration staging = {};          ///< until the job's input files would be there, as estimated
};

/// One component and its cluster.
struct PlacedComponent {
  std::uint32_t component = 0;   ///< index in the answer's own list of components
  std::size_t cluster = 0;       ///< index in the input's list of clusters
  std::uint32_t processors = 0;  ///< as asked for; the whole nodes that hold them are taken

  auto operator<=>(const PlacedComponent&) const = default;
};

/// A whole need, placed: element i is component i. The components are those of the need if it is fixed or
/// non-fixed, those of the chosen split, or those that the policy cut a flexible need into.
using Placement = std::vector<PlacedComponent>;

/// The need placed whole, or nothing.
using PlacementPolicy = std::optional<Placement> (*)(const ResourceNeed&, std::span<const ClusterView>);

/// The processors that placed components may take of a cluster, in whole nodes: the idle ones, less those that its
/// quota keeps for local users. At most floor(quota * total) are ever in use (Sonmez et al. 2006, section 4.1). 0 if
/// the constraints are not met.
std::uint32_t usable_processors(const ClusterView& cluster);

/// Worst fit (WF): components in decreasing size, each on the cluster with the most usable processors left,
/// which keeps the load of the clusters even (Sonmez et al. 2006, section 4). A flexible need is placed as
/// one component.
std::optional<Placement> worst_fit(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Cluster minimization (CM): components in decreasing size, each on the first cluster that can hold it,
/// clusters in decreasing order of usable processors at the start (Sonmez et al. 2006, figure 1). A flexible
/// need is placed as one component.
std::optional<Placement> cluster_minimization(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Flexible cluster minimization (FCM): a flexible need is cut into the fewest components that the idle
/// processors and its bounds allow (Sonmez et al. 2006, figure 3); any other need is placed as by CM. It
/// finds a cut whenever there is one, and no placement of the need uses fewer clusters.
std::optional<Placement> flexible_cluster_minimization(const ResourceNeed& need,
                                                       std::span<const ClusterView> clusters);

/// Best fit (BF): components in decreasing size, each on the cluster with the fewest usable processors left
/// that can still hold it, as the allocation of BFFF (Jones et al. 2004, section 4.1). A flexible need is
/// placed as one component.
std::optional<Placement> best_fit(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// BFFF: a flexible need is cut as by FCM. Its last component goes to the cluster with the fewest usable processors
/// that holds it. So a job spans few links, and large gaps stay whole (Jones et al. 2004, section 4.1). Any other need
/// is placed as by best fit.
std::optional<Placement> bfff(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Close to files (CF): components in decreasing size, each on the cluster with room where the input files would be
/// soonest. Of equal clusters, it takes the one with the most usable processors left (Mohamed and Epema 2005, section
/// 2.6). A flexible need is placed as one component.
std::optional<Placement> close_to_files(const ResourceNeed& need, std::span<const ClusterView> clusters);

/// Any placement of components of given sizes, by a search with backtracking: for a need that a policy finds no room
/// for although there is some. It gives up after 20,000 tries. Nothing for other kinds of need: policies always find a
/// place for those if there is one.
std::optional<Placement> any_fit(const ResourceNeed& need, std::span<const ClusterView> clusters);

}  // namespace dmm
