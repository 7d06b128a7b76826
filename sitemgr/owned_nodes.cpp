#include "sitemgr/owned_nodes.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "sitemgr/node_choice.hpp"

namespace dmm {

OwnedNodes::OwnedNodes(const SiteName& site, const std::vector<ClusterSettings>& clusters) : sums_(site) {
  configure(clusters);
}

void OwnedNodes::configure(const std::vector<ClusterSettings>& clusters) {
  known_.resize(clusters.size(), false);
  sums_.configure(clusters);
}

// ---- resource managers ---------------------------------------------------------------------------------------------

WhyNot OwnedNodes::fault_of(const NodeOffer& offer) const {
  const auto known = managers_.find(offer.manager);
  return sums_.fault_of(offer, known == managers_.end() ? nullptr : &known->second);
}

NodeSet OwnedNodes::removed_by(const NodeOffer& offer) const {
  const auto known = managers_.find(offer.manager);
  if (known == managers_.end()) return {};
  const NodeOffer& before = known->second.offer;
  // Nodes of another size or in another cluster aren't the ones that were leased.
  const bool same = before.cluster == offer.cluster && before.processors_per_node == offer.processors_per_node;
  return same ? subtract(nodes_of(before), nodes_of(offer)) : nodes_of(before);
}

void OwnedNodes::take_offer(const NodeOffer& offer, std::string endpoint) {
  const auto cluster = find_cluster(offer.cluster);
  DMM_ASSERT(cluster);
  const NodeSet removed = removed_by(offer);
  const auto [known, is_new] = managers_.try_emplace(offer.manager);
  Manager& manager = known->second;
  const bool changes = manager.offer != offer;
  if (!is_new) sums_.count_size(manager, false);
  NodeSet before;
  if (manager.registered) {
    before = subtract(nodes_of(manager.offer), removed);
    if (std::exchange(manager.up, false)) sums_.count_free(offer.manager, manager, false);
    sums_.count_total(manager, false);
    manager.aside = subtract(manager.aside, removed);
    manager.aside_free = subtract(manager.aside_free, removed);
    manager.free.remove(removed);
  }
  manager.offer = offer;
  manager.endpoint = std::move(endpoint);
  manager.cluster = *cluster;
  manager.kind = sums_.kind_of(offer.properties);
  manager.registered = true;
  manager.free.grow(offer.nodes);
  manager.free.put(subtract(nodes_of(offer), before));
  manager.up = true;
  sums_.count_size(manager, true);
  sums_.count_total(manager, true);
  sums_.count_free(offer.manager, manager, true);
  if (changes) sums_.resize();
}

void OwnedNodes::remember(NodeOffer offer) {
  const auto cluster = find_cluster(offer.cluster);
  if (!cluster) return;  // it is configured no longer
  known_[*cluster] = true;
  Manager& manager = managers_[offer.manager];
  DMM_ASSERT(!manager.registered);
  manager.cluster = *cluster;
  manager.kind = sums_.kind_of(offer.properties);
  manager.offer = std::move(offer);
  sums_.count_size(manager, true);
  sums_.resize();
}

void OwnedNodes::forget(const Party& party) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return;
  DMM_ASSERT(it->second.free.count() == 0 && it->second.aside_free.empty());  // all were withheld
  sums_.count_size(it->second, false);
  if (it->second.registered) {
    if (it->second.up) sums_.count_free(party, it->second, false);
    sums_.count_total(it->second, false);
  }
  managers_.erase(it);
  DMM_ASSERT(!managers_.empty() || sums_.total() == 0);
  sums_.resize();
}

void OwnedNodes::set_up(const Party& party, bool up) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered || it->second.up == up) return;
  DMM_ASSERT(it->second.cluster < settings().size() && it->second.kind < sums_.kinds().size());
  it->second.up = up;
  sums_.count_free(party, it->second, up);
}

bool OwnedNodes::knows(const Party& party) const {
  const auto it = managers_.find(party);
  return it != managers_.end() && it->second.registered;
}

const NodeOffer* OwnedNodes::find_offer(const Party& party) const {
  const auto it = managers_.find(party);
  return it == managers_.end() ? nullptr : &it->second.offer;
}

std::vector<NodeOffer> OwnedNodes::offers() const {
  std::vector<NodeOffer> all;
  for (const auto& [party, manager] : managers_) all.push_back(manager.offer);
  return all;
}

// ---- taking and giving ---------------------------------------------------------------------------------------------

template <class Change>
void OwnedNodes::change_free(const Party& party, Manager& manager, Change change) {
  if (manager.up) sums_.count_free(party, manager, false);
  change(manager.free);
  if (manager.up) sums_.count_free(party, manager, true);
}

void OwnedNodes::take(std::size_t cluster, std::uint32_t processors, const Constraints& constraints,
                      std::uint32_t component, std::vector<NodeGroup>& taken, Instant until) {
  DMM_ASSERT(cluster < settings().size() && sums_.width(cluster) > 0);
  const std::uint32_t per_node = sums_.width(cluster);
  std::uint32_t nodes = (processors + per_node - 1) / per_node;
  while (nodes > 0) {
    const Party* const found = manager_to_take(sums_.kinds(), cluster, nodes, constraints, until);
    DMM_ASSERT(found);
    Manager& manager = managers_.at(*found);
    DMM_ASSERT(manager.up && manager.cluster == cluster);
    DMM_ASSERT(manager.free.count() > 0 && manager.offer.processors_per_node == per_node);
    const std::uint32_t part = std::min(nodes, manager.free.count());
    NodeGroup group{
        manager.offer.manager, settings()[cluster].name, {}, per_node, ShortText(manager.endpoint), component};
    const std::uint64_t freed = sums_.freed();
    change_free(manager.offer.manager, manager, [&](NodeMap& free) { group.nodes = free.take(part); });
    sums_.set_freed(freed);
    taken.push_back(std::move(group));
    nodes -= part;
  }
}

void OwnedNodes::put(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return;
  Manager& manager = it->second;
  const NodeSet there = intersect(nodes, nodes_of(manager.offer));  // others were taken out of service meanwhile
  const NodeSet usable = subtract(there, manager.aside);
  manager.aside_free = unite(manager.aside_free, subtract(there, usable));
  change_free(party, manager, [&](NodeMap& free) { free.put(usable); });
}

NodeSet OwnedNodes::withhold(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return {};
  Manager& manager = it->second;
  const NodeSet others = subtract(manager.aside_free, nodes);
  NodeSet taken = subtract(std::exchange(manager.aside_free, others), others);
  const std::uint64_t freed = sums_.freed();
  change_free(party, manager, [&](NodeMap& free) { taken = unite(taken, free.remove(nodes)); });
  sums_.set_freed(freed);
  DMM_ASSERT(count(manager.aside_free) <= count(manager.aside));
  return taken;
}

bool OwnedNodes::expect(const Party& party, Instant until) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return false;
  Manager& manager = it->second;
  if (manager.registered && manager.up) sums_.expect(party, manager, until);
  manager.expected_until = until;
  return true;
}

Instant OwnedNodes::expected_until(const std::vector<NodeGroup>& groups) const {
  Instant least = never;
  for (const NodeGroup& group : groups) {
    const auto it = managers_.find(group.resource_manager);
    if (it != managers_.end()) least = std::min(least, it->second.expected_until);
  }
  return least;
}

void OwnedNodes::set_aside(const Party& party, const NodeSet& nodes, std::string why) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return;
  Manager& manager = it->second;
  const NodeSet added = subtract(intersect(nodes, nodes_of(manager.offer)), manager.aside);
  manager.aside = unite(manager.aside, added);
  manager.why_aside = std::move(why);
  change_free(party, manager,
              [&](NodeMap& free) { manager.aside_free = unite(manager.aside_free, free.remove(added)); });
  DMM_ASSERT(count(manager.aside_free) <= count(manager.aside));
}

void OwnedNodes::bring_back(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return;
  Manager& manager = it->second;
  manager.aside = subtract(manager.aside, nodes);
  if (manager.aside.empty()) manager.why_aside.clear();
  const NodeSet others = subtract(manager.aside_free, nodes);
  const NodeSet usable = subtract(std::exchange(manager.aside_free, others), others);
  DMM_ASSERT(count(manager.aside_free) <= count(manager.aside));
  change_free(party, manager, [&](NodeMap& free) { free.put(usable); });
}

NodeGroup OwnedNodes::group_of(const Party& party, const NodeSet& nodes) const {
  const Manager& manager = managers_.at(party);
  DMM_ASSERT(manager.registered);
  return {party,
          settings()[manager.cluster].name,
          nodes,
          manager.offer.processors_per_node,
          ShortText(manager.endpoint),
          0};
}

NodeSet OwnedNodes::within(const Party& party, const NodeSet& nodes) const {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return nodes;
  return intersect(nodes, nodes_of(it->second.offer));
}

// ---- what is there, and what can be ---------------------------------------------------------------------------------

std::vector<ClusterView> OwnedNodes::standing(const Constraints& constraints) const {
  std::vector<ClusterView> clusters = sizes(constraints);
  DMM_ASSERT(clusters.size() == settings().size());
  for (ClusterView& cluster : clusters) cluster.idle_processors = 0;
  for (const auto& [party, manager] : managers_)
    if (manager.up && meets(sums_.properties_of(manager), constraints))
      clusters[manager.cluster].idle_processors +=
          count(subtract(nodes_of(manager.offer), manager.aside)) * manager.offer.processors_per_node;
  return clusters;
}

std::vector<ClusterName> OwnedNodes::unknown_clusters() const {
  DMM_ASSERT(known_.size() == settings().size());
  std::vector<ClusterName> unknown;
  for (std::size_t i = 0; i < settings().size(); ++i)
    if (settings()[i].nodes == 0 && !known_[i]) unknown.push_back(settings()[i].name);
  return unknown;
}

std::optional<Party> OwnedNodes::manager_with(const ClusterName& cluster, const Constraints& constraints,
                                              std::uint64_t number) const {
  std::vector<Party> found;
  for (const auto& [party, manager] : managers_)
    if (manager.up && manager.offer.cluster == cluster && meets(sums_.properties_of(manager), constraints))
      found.push_back(party);
  if (found.empty()) return std::nullopt;
  return found[number % found.size()];
}

// ---- for people ----------------------------------------------------------------------------------------------------

std::vector<OwnedManagerView> OwnedNodes::managers() const {
  std::vector<OwnedManagerView> views;
  for (const auto& [party, manager] : managers_) {
    views.push_back({party, manager.offer.cluster, count(nodes_of(manager.offer)),
                     manager.offer.processors_per_node, manager.free.count(), manager.up, manager.aside,
                     count(manager.aside_free), manager.why_aside, manager.registered});
    DMM_ASSERT(views.back().free_nodes + views.back().aside_free <= views.back().nodes);
  }
  return views;
}

}  // namespace dmm
