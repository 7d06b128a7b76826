// The nodes that this site owns: which resource manager offers them, which cluster they are in, which are free. Knows
// nothing of leases; whoever takes nodes puts them back when their resource manager said that they are clean.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matchmaking/placement/placement.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/node_map.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

class OwnedNodes {
 public:
  OwnedNodes(const SiteName& site, const std::vector<ClusterSettings>& clusters);

  /// A resource manager offers nodes. A repeated offer of the same nodes changes nothing. Returns why the offer is
  /// refused (an unknown cluster, other nodes than before, ...), or an empty text.
  std::string offer(const Party& resource_manager, const Register& offer);
  /// The nodes of a resource manager can't be placed on while it is down; they stay known.
  void set_up(const Party& resource_manager, bool up);
  bool knows(const Party& resource_manager) const { return managers_.contains(resource_manager); }

  /// The clusters with their idle and total processors among nodes that meet the constraints.
  std::vector<ClusterView> views(const Constraints& constraints) const;
  /// Free processors of each cluster, and all of them.
  const std::vector<std::uint32_t>& free_by_cluster() const { return free_; }
  std::uint32_t largest_cluster() const;
  /// The most processors that can be had now in one cluster, within its quota.
  std::uint32_t largest_idle() const;
  /// Whether a resource manager has come for every cluster.
  bool all_known() const;
  std::uint64_t total() const { return total_; }
  /// Processors that are not free: in use, lent, or being cleaned, and those of managers that are down.
  std::uint64_t used() const { return total_ - free_total_; }
  /// Counts up whenever more became free: what didn't fit before may fit now.
  std::uint64_t freed() const { return freed_; }

  /// Takes whole nodes that hold `processors` in one cluster; the caller saw in a view that they are there.
  void take(std::size_t cluster, std::uint32_t processors, const Constraints& constraints, std::uint32_t component,
            std::vector<NodeGroup>& taken);
  /// Nodes of a resource manager are free again.
  void put(const Party& resource_manager, const NodeSet& nodes);
  /// Takes those of the nodes that are free, to be put back later; returns them.
  NodeSet withhold(const Party& resource_manager, const NodeSet& nodes);
  /// Nothing is to be placed on these nodes, for a reason told to people; or they may be used again.
  void set_aside(const Party& resource_manager, const NodeSet& nodes, std::string why);
  void bring_back(const Party& resource_manager, const NodeSet& nodes);

  /// These nodes as a group of a lease; the resource manager must be known.
  NodeGroup group_of(const Party& resource_manager, const NodeSet& nodes) const;

  struct ManagerView {
    Party party;
    ClusterName cluster;
    std::uint32_t nodes = 0, processors_per_node = 1, free_nodes = 0;
    bool up = false;
    NodeSet aside;                 ///< nodes on which nothing is placed
    std::uint32_t aside_free = 0;  ///< how many of them would be free
    std::string why_aside;
  };
  std::vector<ManagerView> managers() const;
  struct ClusterTotals {
    ClusterName name;
    std::uint32_t processors = 0, free = 0, processors_per_node = 1;
    double quota = 1.0;
  };
  std::vector<ClusterTotals> clusters() const;

 private:
  struct Manager {
    std::size_t cluster = 0;
    Register offer;
    NodeMap free;
    bool up = false;
    NodeSet aside = {};       ///< nothing is placed on these
    NodeSet aside_free = {};  ///< of these, those that would be free
    std::string why_aside = {};
  };
  /// Adds to the free nodes of a manager, or takes from them, and keeps the sums right.
  template <class Change>
  void change_free(Manager& manager, Change change);
  static bool meets(const Register& offer, const Constraints& constraints);
  void count(const Manager& manager, bool add);
  std::uint32_t usable_nodes(const Manager& manager, const Constraints& constraints) const;

  SiteName site_;
  std::vector<ClusterSettings> settings_;
  std::vector<std::uint32_t> processors_per_node_;  ///< of each cluster; 0 before its first resource manager
  std::vector<std::uint32_t> free_, totals_;        ///< processors of each cluster
  std::uint64_t total_ = 0, free_total_ = 0, freed_ = 0;
  std::map<Party, Manager> managers_;
};

}  // namespace dmm
