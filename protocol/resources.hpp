// The needs of requests and the nodes of clusters. Requests are fixed, non-fixed or flexible (Sonmez et al. 2006,
// section 2.2); the unit of a lease is a whole node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// A run of consecutive node numbers of one resource manager, first and last included.
struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  auto operator<=>(const NodeRange&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.first, self.last);
  }
};

/// A set of node numbers as sorted, disjoint ranges.
using NodeSet = Few<NodeRange, 2>;

/// Properties of nodes that a request may demand, and their values ("arch": "x86_64").
using Attributes = std::map<std::string, std::string>;

/// What every node of a component must have.
struct Constraints {
  std::uint64_t memory_bytes = 0;  ///< per node, at least
  Attributes attributes;           ///< each must be present with exactly this value

  auto operator<=>(const Constraints&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.memory_bytes, self.attributes);
  }
};

/// How a request may be divided over clusters (Sonmez et al. 2006, section 2.2).
enum class RequestKind : std::uint8_t {
  fixed,      ///< component sizes and the site or cluster of each are given
  non_fixed,  ///< component sizes are given, clusters are chosen
  flexible,   ///< a total is given, the components are chosen
};

/// A part of a job that must sit inside one cluster.
struct Component {
  std::uint32_t processors = 0;
  SiteName site;        ///< for a fixed request: its site, empty for any
  ClusterName cluster;  ///< for a fixed request: its cluster, empty for any

  auto operator<=>(const Component&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.processors, self.site, self.cluster);
  }
};

/// What a job needs. A flexible request has one component that holds the total.
struct ResourceNeed {
  RequestKind kind = RequestKind::non_fixed;
  std::vector<Component> components;
  std::uint32_t component_processors_min = 1;  ///< flexible: no component smaller than this
  std::uint32_t components_max = 0;            ///< flexible: no more components than this; 0 for no bound
  RareList<std::vector<std::uint32_t>>
      splits;  ///< flexible: the acceptable splits, preferred first; empty for any
  RareValue<Constraints> constraints;

  auto operator<=>(const ResourceNeed&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.kind, self.components, self.component_processors_min, self.components_max, self.splits,
                    self.constraints);
  }
};

/// The most processors of a request, cluster or lease, so that sums fit into 32 bits.
constexpr std::uint32_t processors_max = 10'000'000;
/// The most nodes of one resource manager: one with a wrong count takes at most a hundredth of what a site may have.
constexpr std::uint32_t nodes_per_manager_max = 100'000;
constexpr std::uint32_t processors_per_node_max = 4'096;

/// Whether the need has several components, or may be divided into several.
bool is_divided(const ResourceNeed& need);

/// Processors that are asked for in all.
std::uint32_t total_processors(const ResourceNeed& need);

/// The most processors that the need must find in one cluster: its largest component. A flexible need may be divided:
/// then it is the largest piece of the division, within its bounds, that keeps that piece smallest.
std::uint32_t widest_component(const ResourceNeed& need);

/// Bounds of a need, so that no request is longer than some tens of kilobytes.
constexpr std::size_t need_components_max = 64;         ///< also of splits, and of components in each
constexpr std::size_t components_granted_max = 65'535;  ///< of a flexible need, if it says no bound
constexpr std::size_t attributes_max = 32;
constexpr std::size_t attribute_bytes_max = 128;  ///< of a name, and of a value

/// Why there can't be such attributes (too many, or too long); empty if there can.
WhyNot fault_of(const Attributes& attributes);
/// Why the need makes no sense (no components, a component of 0 processors, ...); empty if it does.
WhyNot fault_of(const ResourceNeed& need);

/// Nodes of one resource manager, and how to reach it directly.
struct NodeGroup {
  Party resource_manager;
  ClusterName cluster;
  NodeSet nodes;
  std::uint32_t processors_per_node = 1;
  ShortText endpoint;  ///< of the resource manager, for the direct route; empty where only the chain reaches it
  std::uint32_t component = 0;  ///< which component of the request these nodes serve

  auto operator<=>(const NodeGroup&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.resource_manager, self.cluster, self.nodes, self.processors_per_node, self.endpoint,
                    self.component);
  }
};

/// Whether there can be such nodes: at least one, none named twice, and with a number of processors that a node may
/// have.
bool is_possible(const NodeGroup& group);
/// Why these nodes aren't what was asked for; empty if they are. A component may be missing, or have too few or too
/// many nodes, or the nodes may be impossible.
WhyNot fault_of(const std::vector<NodeGroup>& nodes, const ResourceNeed& need);

std::uint32_t count(const NodeSet& nodes);
std::uint32_t processors_of(const NodeGroup& group);
std::uint32_t processors_of(const std::vector<NodeGroup>& groups);

/// The union of two sets that share no node.
NodeSet unite(const NodeSet& a, const NodeSet& b);
/// `from` without `nodes`; nodes that are not in `from` are ignored.
NodeSet subtract(const NodeSet& from, const NodeSet& nodes);
/// The nodes that are in both.
NodeSet intersect(const NodeSet& a, const NodeSet& b);
/// Whether a node is in both.
bool overlap(const NodeSet& a, const NodeSet& b);
/// Adds a node that is greater than all in the set.
void append(NodeSet& nodes, std::uint32_t node);
/// Calls `visit` for each node, in order.
template <class Visit>
void each_node(const NodeSet& nodes, Visit visit) {
  for (const NodeRange& range : nodes)
    for (std::uint32_t node = range.first; node <= range.last; ++node) visit(node);
}
/// Whether every node of `inner` is in `outer`.
bool contains(const NodeSet& outer, const NodeSet& inner);
/// Takes the lowest `wanted` nodes out of `from` (fewer if it has fewer).
NodeSet take_lowest(NodeSet& from, std::uint32_t wanted);
/// Whether the ranges are sorted, disjoint and not empty.
bool is_well_formed(const NodeSet& nodes);
/// As text: "0-3,7"; "" for the empty set.
std::string to_text(const NodeSet& nodes);

/// Removes `what` from `groups`, matched by resource manager. Empty `what` means everything. Returns what was really
/// removed.
std::vector<NodeGroup> remove_nodes(std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& what);
/// The nodes of `groups` that aren't among the others, matched by resource manager.
std::vector<NodeGroup> without(const std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& others);

}  // namespace dmm
