// The nodes that this site owns: which resource manager offers them, which cluster they are in, which are free. This
// part knows nothing of leases: its caller takes nodes, and puts them back when their resource manager has said that
// they are clean.
//
// Two sizes are told apart. What *is there* counts nodes of resource managers that registered since this start; load
// and placement go by it. What *can be* counts what is configured, and what every resource manager offered the last
// time, also before a restart. Whether a request is too large for the site depends on that alone, never on what is up,
// drained or registered by now. node_sums.hpp has the sums of both; node_choice.hpp says which nodes are taken first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matchmaking/placement/placement.hpp"
#include "protocol/or_fault.hpp"
#include "sitemgr/node_offer.hpp"
#include "sitemgr/node_stock.hpp"
#include "sitemgr/node_sums.hpp"
#include "sitemgr/owned_views.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

class OwnedNodes {
 public:
  OwnedNodes(const SiteName& site, const std::vector<ClusterSettings>& clusters);

  // ---- resource managers ----
  /// Why an offer can't be taken; empty if it can.
  WhyNot fault_of(const NodeOffer& offer) const;
  /// The nodes that a resource manager no longer has if it offers this: their holders must give them up before.
  NodeSet removed_by(const NodeOffer& offer) const;
  /// A resource manager offers nodes, the same as before or others. Nodes that it hadn't offered since this start are
  /// free. All removed nodes must have been withheld.
  void take_offer(const NodeOffer& offer, std::string endpoint);
  /// A resource manager offered these nodes before a restart.
  void remember(NodeOffer offer);
  /// It is gone for good; none of its nodes may be in use.
  void forget(const Party& resource_manager);
  /// The nodes of a resource manager can't be placed on while it is down; they stay known.
  void set_up(const Party& resource_manager, bool up);
  /// Whether it registered since this start.
  bool knows(const Party& resource_manager) const;
  /// What it offers, or offered before a restart; nullptr if it never did.
  const NodeOffer* find_offer(const Party& resource_manager) const;
  std::vector<NodeOffer> offers() const;
  /// Configured clusters, as a live site may change: those that it has already, with other quotas and sizes, or more.
  void configure(const std::vector<ClusterSettings>& clusters);

  // ---- what is there ----
  /// The clusters with their idle and total processors among nodes that meet the constraints.
  std::vector<ClusterView> views(const Constraints& constraints) const { return sums_.views(constraints); }
  /// Free processors of each cluster, and all of them.
  const std::vector<std::uint32_t>& free_by_cluster() const { return sums_.free_by_cluster(); }
  /// The most processors that can be had now in one cluster, within its quota.
  std::uint32_t largest_idle() const { return sums_.largest_idle(); }
  std::uint64_t total() const { return sums_.total(); }
  /// Processors that are not free: in use, lent, or being cleaned, and those of managers that are down.
  std::uint64_t used() const { return sums_.used(); }
  /// The clusters as if every node that could be used now were idle: none of managers that are down, and none that is
  /// set aside. A walk over all managers.
  std::vector<ClusterView> standing(const Constraints& constraints) const;
  /// Whether every resource manager is up, and all that is configured is there.
  bool all_up() const { return sums_.all_up(); }
  /// Counts up whenever more became free: what didn't fit before may fit now.
  std::uint64_t freed() const { return sums_.freed(); }
  /// Counts up whenever anything changed.
  std::uint64_t changes() const { return sums_.changes(); }

  // ---- what can be ----
  /// The clusters as if all that is configured or known were up and idle, of nodes that meet the constraints.
  std::vector<ClusterView> sizes(const Constraints& constraints) const { return sums_.sizes(constraints); }
  /// The processors of the largest cluster, within its quota.
  std::uint32_t largest_cluster() const { return sums_.largest_cluster(); }
  /// Counts up whenever clusters are configured, or other nodes are offered than before.
  std::uint64_t size_changes() const { return sums_.size_changes(); }
  /// Whether the size of every cluster is configured, or known from before this start.
  bool all_known() const { return unknown_clusters().empty(); }
  /// Clusters without a configured or known size.
  std::vector<ClusterName> unknown_clusters() const;
  /// What can be, by kind of node, for others to know; no lease of any is longer than `longest`.
  std::vector<NodeClass> classes(Duration longest) const { return sums_.classes(longest); }

  // ---- taking and giving ----
  /// Takes whole nodes that hold `processors` in one cluster; the caller saw in a view that they are there. If
  /// single resource managers have enough nodes, nodes with the fewest attributes are taken first. Of these, nodes
  /// come first that are expected to be spared until `until`, and for the least time beyond it; then those spared
  /// the longest.
  void take(std::size_t cluster, std::uint32_t processors, const Constraints& constraints, std::uint32_t component,
            std::vector<NodeGroup>& taken, Instant until = never);
  /// Nodes of a resource manager are free again.
  void put(const Party& resource_manager, const NodeSet& nodes);
  /// Takes those of the nodes that are free, to be put back later; returns them.
  NodeSet withhold(const Party& resource_manager, const NodeSet& nodes);
  /// Nothing is placed on these nodes until `bring_back`; `why` is shown to people.
  void set_aside(const Party& resource_manager, const NodeSet& nodes, std::string why);
  void bring_back(const Party& resource_manager, const NodeSet& nodes);
  /// The users of a resource manager's host are expected to want its nodes back then; `never`: that isn't known.
  /// False if there is no such resource manager.
  bool expect(const Party& resource_manager, Instant until);
  /// The earliest time at which nodes of one of the groups are expected to be wanted back.
  Instant expected_until(const std::vector<NodeGroup>& groups) const;

  /// A resource manager that is up and has nodes in the cluster that meet the constraints; `number` tells which of
  /// several.
  std::optional<Party> manager_with(const ClusterName& cluster, const Constraints& constraints,
                                    std::uint64_t number) const;
  /// These nodes as a group of a lease; the resource manager must be known.
  NodeGroup group_of(const Party& resource_manager, const NodeSet& nodes) const;
  /// Those of the nodes that it has; all of them if it hasn't registered yet.
  NodeSet within(const Party& resource_manager, const NodeSet& nodes) const;

  // ---- for people ----
  std::vector<OwnedManagerView> managers() const;
  std::vector<OwnedClusterView> clusters() const { return sums_.clusters(); }
  const std::vector<ClusterSettings>& settings() const { return sums_.settings(); }
  std::optional<std::size_t> find_cluster(const ClusterName& name) const { return sums_.find_cluster(name); }

 private:
  using Manager = node_stock::Manager;
  /// Changes the free nodes of a manager and keeps the sums right.
  template <class Change>
  void change_free(const Party& party, Manager& manager, Change change);

  NodeSums sums_;
  std::vector<bool> known_;  ///< by cluster: from before this start
  std::map<Party, Manager> managers_;
};

}  // namespace dmm
