// What a site has, could have and offers, counted by cluster and kind; see owned_nodes.hpp.
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/programs.hpp"
#include "sitemgr/owned_nodes.hpp"

namespace dmm {

/// Of configured nodes that no resource manager has offered yet: what these find out by themselves they may have.
static NodeProperties perhaps(const ClusterSettings& configured) {
  NodeProperties properties{configured.memory_bytes, configured.attributes};
  properties.attributes.try_emplace(connectable_attribute, connectable_value);
  properties.attributes.try_emplace(users_apart_attribute, users_apart_value);
  properties.attributes.try_emplace(staging_attribute, staging_value);
  return properties;
}

static std::uint64_t planned_processors(const ClusterSettings& configured) {
  return std::uint64_t{configured.nodes} * configured.processors_per_node;
}

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
    if (up < managers_in_[i] || totals_[i] < planned_processors(settings_[i])) return false;
  }
  return true;
}

/// Offered nodes that have what is configured, or more, are the configured ones.
std::uint64_t OwnedNodes::missing_processors(std::size_t cluster) const {
  const ClusterSettings& configured = settings_[cluster];
  std::uint64_t offered = 0;
  for (const Kind& kind : kinds_)
    if (meets(kind.properties, {configured.memory_bytes, configured.attributes}))
      offered += kind.stocks[cluster].size;
  const std::uint64_t planned = planned_processors(configured);
  return planned - std::min(planned, offered);
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
    const std::uint64_t planned = planned_processors(settings_[i]), missing = missing_processors(i);
    const std::uint64_t with_missing = std::min(planned, sizes[i].total_processors + missing);
    const bool counts = missing > 0 && !DMM_PLANT(too_large_by_presence);
    if (counts && meets(perhaps(settings_[i]), constraints))
      sizes[i].total_processors = std::max(sizes[i].total_processors, static_cast<std::uint32_t>(with_missing));
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
  for (std::size_t i = 0; i < settings_.size(); ++i)
    if (const std::uint64_t missing = missing_processors(i); missing > 0) add(perhaps(settings_[i]), i) += missing;
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

std::optional<Party> OwnedNodes::manager_with(const ClusterName& cluster, const Constraints& constraints,
                                              std::uint64_t number) const {
  std::vector<Party> found;
  for (const auto& [party, manager] : managers_)
    if (manager.up && manager.offer.cluster == cluster && meets(kinds_[manager.kind].properties, constraints))
      found.push_back(party);
  if (found.empty()) return std::nullopt;
  return found[number % found.size()];
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
