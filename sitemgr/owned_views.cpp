// What a site has, could have and offers, counted by cluster and kind; see owned_nodes.hpp.
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "sitemgr/owned_nodes.hpp"

namespace dmm {

// ---- what there is --------------------------------------------------------------------------------------------

std::vector<ClusterView> OwnedNodes::views(const Constraints& constraints) const {
  std::vector<ClusterView> views;
  views.reserve(settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i)
    views.push_back({site_, settings_[i].name, free_[i], totals_[i], widths_[i], settings_[i].quota, true});
  if (constraints == Constraints{}) return views;
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].idle_processors = views[i].total_processors = 0;
    for (const Kind& kind : kinds_) {
      if (!meets(kind.properties, constraints)) continue;
      views[i].idle_processors += kind.stocks[i].free;
      views[i].total_processors += kind.stocks[i].total;
    }
    DMM_ASSERT(views[i].idle_processors <= views[i].total_processors && views[i].total_processors <= totals_[i]);
    views[i].meets_constraints = views[i].total_processors > 0;
  }
  return views;
}

std::uint32_t OwnedNodes::largest_idle() const {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    DMM_ASSERT(free_[i] <= totals_[i]);
    const std::uint32_t limit = fill(i, totals_[i]);
    const std::uint32_t used = totals_[i] - free_[i];
    if (limit > used) largest = std::max(largest, std::min(free_[i], limit - used));
  }
  return largest;
}

std::vector<ClusterView> OwnedNodes::standing(const Constraints& constraints) const {
  std::vector<ClusterView> clusters = sizes(constraints);
  DMM_ASSERT(clusters.size() == settings_.size());
  for (ClusterView& cluster : clusters) cluster.idle_processors = 0;
  for (const auto& [party, manager] : managers_)
    if (manager.up && meets(kinds_[manager.kind].properties, constraints))
      clusters[manager.cluster].idle_processors +=
          dmm::count(subtract(nodes_of(manager.offer), manager.aside)) * manager.offer.processors_per_node;
  return clusters;
}

bool OwnedNodes::all_up() const {
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    std::size_t up = 0;
    for (const Kind& kind : kinds_) up += kind.stocks[i].by_free.size();
    DMM_ASSERT(up <= managers_in_[i]);
    const std::uint64_t planned = std::uint64_t{settings_[i].nodes} * settings_[i].processors_per_node;
    if (up < managers_in_[i] || totals_[i] < planned) return false;
  }
  return true;
}

// ---- what can be ----------------------------------------------------------------------------------------------

std::vector<ClusterView> OwnedNodes::sizes(const Constraints& constraints) const {
  std::vector<ClusterView> sizes;
  sizes.reserve(settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i)
    sizes.push_back({site_, settings_[i].name, 0, 0, widths_[i], settings_[i].quota, true});
  for (const Kind& kind : kinds_) {
    DMM_ASSERT(kind.stocks.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (meets(kind.properties, constraints)) sizes[i].total_processors += kind.stocks[i].size;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ClusterSettings& configured = settings_[i];
    const std::uint64_t size = std::uint64_t{configured.nodes} * configured.processors_per_node;
    const bool counts = size > 0 && !DMM_PLANT(too_large_by_presence);
    if (counts && meets({configured.memory_bytes, configured.attributes}, constraints))
      sizes[i].total_processors = std::max(sizes[i].total_processors, static_cast<std::uint32_t>(size));
    sizes[i].idle_processors = sizes[i].total_processors;
    sizes[i].meets_constraints = sizes[i].total_processors > 0;
  }
  return sizes;
}

std::vector<ClusterName> OwnedNodes::unknown_clusters() const {
  DMM_ASSERT(known_.size() == settings_.size());
  std::vector<ClusterName> unknown;
  for (std::size_t i = 0; i < settings_.size(); ++i)
    if (settings_[i].nodes == 0 && !known_[i]) unknown.push_back(settings_[i].name);
  return unknown;
}

bool OwnedNodes::all_known() const { return unknown_clusters().empty(); }

std::vector<NodeClass> OwnedNodes::classes(Duration longest) const {
  std::map<NodeProperties, std::vector<std::uint64_t>> by_kind;  // processors of each cluster
  const auto add = [&](const NodeProperties& properties, std::size_t cluster) -> std::uint64_t& {
    auto& sizes = by_kind[properties];
    sizes.resize(settings_.size());
    return sizes[cluster];
  };
  for (const Kind& kind : kinds_)
    for (std::size_t i = 0; i < kind.stocks.size(); ++i)
      if (kind.stocks[i].size > 0) add(kind.properties, i) += kind.stocks[i].size;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const ClusterSettings& configured = settings_[i];
    if (configured.nodes == 0) continue;
    const NodeProperties properties{configured.memory_bytes, configured.attributes};
    // Offered nodes that have more than is configured are the same nodes: they don't count twice.
    std::uint64_t better = 0;
    for (const Kind& kind : kinds_)
      if (kind.properties != properties && meets(kind.properties, {properties.memory_bytes, properties.attributes}))
        better += kind.stocks[i].size;
    const std::uint64_t planned = std::uint64_t{configured.nodes} * configured.processors_per_node;
    std::uint64_t& size = add(properties, i);
    size = std::max(size, planned - std::min(planned, better));
  }
  std::vector<NodeClass> classes;
  for (const auto& [properties, sizes] : by_kind) {
    NodeClass one{properties.memory_bytes, properties.attributes, 0, 0, longest, false, 0};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint32_t usable = fill(i, sizes[i]);
      one.largest = std::max(one.largest, usable);
      one.together += usable;
    }
    one.in_all = one.together;
    if (one.largest > 0) classes.push_back(std::move(one));
  }
  return classes;
}

std::vector<OwnedManagerView> OwnedNodes::managers() const {
  std::vector<OwnedManagerView> views;
  for (const auto& [party, manager] : managers_) {
    views.push_back({party, manager.offer.cluster, dmm::count(nodes_of(manager.offer)),
                     manager.offer.processors_per_node, manager.free.count(), manager.up, manager.aside,
                     dmm::count(manager.aside_free), manager.why_aside, manager.registered});
    DMM_ASSERT(views.back().free_nodes + views.back().aside_free <= views.back().nodes);
  }
  return views;
}

std::vector<OwnedClusterView> OwnedNodes::clusters() const {
  const std::vector<ClusterView> all = sizes({});
  DMM_ASSERT(all.size() == settings_.size());
  std::vector<OwnedClusterView> totals;
  for (std::size_t i = 0; i < settings_.size(); ++i)
    totals.push_back(
        {settings_[i].name, totals_[i], free_[i], widths_[i], settings_[i].quota, all[i].total_processors});
  return totals;
}

}  // namespace dmm
