// How many processors a site's own nodes have: free, there, and possible. Sums by cluster and by kind of node, which
// OwnedNodes keeps right: it says what each resource manager offers, and counts its free nodes out before they change
// and in afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "matchmaking/placement/placement.hpp"
#include "protocol/or_fault.hpp"
#include "sitemgr/node_offer.hpp"
#include "sitemgr/node_stock.hpp"
#include "sitemgr/owned_views.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

class NodeSums {
 public:
  using Manager = node_stock::Manager;
  using Stock = node_stock::Stock;
  using Kind = node_stock::Kind;

  explicit NodeSums(const SiteName& site) : site_(site) {}
  void configure(const std::vector<ClusterSettings>& clusters);
  const std::vector<ClusterSettings>& settings() const { return settings_; }
  std::optional<std::size_t> find_cluster(const ClusterName& name) const;
  /// Why an offer can't be taken; empty if it can. `known`: its resource manager as it is now; null: a new one.
  WhyNot fault_of(const NodeOffer& offer, const Manager* known) const;

  // ---- counting ----
  /// The number of the kind of nodes that have these properties.
  std::size_t kind_of(const NodeProperties& properties);
  const std::vector<Kind>& kinds() const { return kinds_; }
  const NodeProperties& properties_of(const Manager& manager) const { return kinds_[manager.kind].properties; }
  /// Adds what a resource manager offers to the sizes, or takes it out. `resize` has to follow.
  void count_size(const Manager& manager, bool add);
  void resize();
  /// Adds the nodes of a registered resource manager to what is there, or takes them out.
  void count_total(const Manager& manager, bool add);
  /// Adds a manager's free nodes to all sums, or takes them out.
  void count_free(const Party& party, const Manager& manager, bool add);
  /// A resource manager that is up is about to expect another time: `until`.
  void expect(const Party& party, const Manager& manager, Instant until);

  // ---- what is there ----
  std::vector<ClusterView> views(const Constraints& constraints) const;
  const std::vector<std::uint32_t>& free_by_cluster() const { return free_; }
  std::uint32_t largest_idle() const;
  /// Processors of each node of a cluster.
  std::uint32_t width(std::size_t cluster) const { return widths_[cluster]; }
  std::uint64_t total() const { return total_; }
  std::uint64_t used() const { return total_ - free_total_; }
  bool all_up() const;
  std::uint64_t freed() const { return freed_; }
  /// What was counted in since the counter was `freed` had only been out for a change: no more is free than before.
  void set_freed(std::uint64_t freed) { freed_ = freed; }
  std::uint64_t changes() const { return changes_; }

  // ---- what can be ----
  std::vector<ClusterView> sizes(const Constraints& constraints) const;
  std::uint32_t largest_cluster() const { return largest_cluster_; }
  std::uint64_t size_changes() const { return size_changes_; }
  std::vector<NodeClass> classes(Duration longest) const;
  std::vector<OwnedClusterView> clusters() const;

 private:
  /// Of a cluster: configured ones that no resource manager has offered.
  std::uint64_t missing_processors(std::size_t cluster) const;
  std::uint32_t fill(std::size_t cluster, std::uint64_t processors) const;
  std::uint32_t fill_of_part(std::size_t cluster, std::uint64_t processors) const;

  SiteName site_;
  std::vector<ClusterSettings> settings_;
  std::vector<std::uint32_t> free_, totals_;  ///< processors of each cluster
  std::vector<std::uint32_t> widths_;         ///< by cluster: processors of each node
  std::vector<std::size_t> managers_in_;      ///< by cluster: how many resource managers it has
  std::vector<std::uint64_t> nodes_in_;       ///< by cluster: how many nodes its resource managers offer
  std::uint64_t size_ = 0;                    ///< processors that all managers offer
  std::uint32_t largest_cluster_ = 0;
  std::uint64_t total_ = 0, free_total_ = 0, freed_ = 0, changes_ = 0, size_changes_ = 0;
  std::vector<Kind> kinds_;
};

}  // namespace dmm
