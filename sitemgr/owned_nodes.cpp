// Counting and taking owned nodes; see owned_nodes.hpp.
#include "sitemgr/owned_nodes.hpp"

#include <algorithm>
#include <utility>

#include "machine/assert.hpp"

namespace dmm {

OwnedNodes::OwnedNodes(const SiteName& site, const std::vector<ClusterSettings>& clusters)
    : site_(site),
      settings_(clusters),
      processors_per_node_(clusters.size(), 0),
      free_(clusters.size(), 0),
      totals_(clusters.size(), 0) {}

std::string OwnedNodes::offer(const Party& party, const Register& offer) {
  const auto named = std::find_if(settings_.begin(), settings_.end(),
                                  [&](const ClusterSettings& c) { return c.name == offer.cluster; });
  if (named == settings_.end()) return "site " + site_.text + " has no cluster " + offer.cluster.text;
  const std::uint64_t processors = std::uint64_t{offer.nodes} * offer.processors_per_node;
  if (processors == 0) return "a resource manager offers at least one node of at least one processor";
  const auto cluster = static_cast<std::size_t>(named - settings_.begin());
  std::uint32_t& width = processors_per_node_[cluster];
  if (width != 0 && width != offer.processors_per_node)
    return "the nodes of cluster " + offer.cluster.text + " have " + std::to_string(width) + " processors each";
  if (!managers_.contains(party) && total_ + processors > processors_max)
    return "a site has at most 10,000,000 processors";
  if (const auto known = managers_.find(party); known != managers_.end()) {
    if (known->second.offer.nodes != offer.nodes || known->second.cluster != cluster)
      return "offered other nodes before; restart the site manager to change them";
    known->second.offer = offer;
    set_up(party, true);
    return {};
  }
  width = offer.processors_per_node;
  Manager manager{cluster, offer, NodeMap(offer.nodes), true, {}, {}, {}};
  totals_[cluster] += offer.nodes * width;
  total_ += offer.nodes * width;
  count(managers_.emplace(party, std::move(manager)).first->second, true);
  return {};
}

void OwnedNodes::count(const Manager& manager, bool add) {
  const std::uint32_t processors = manager.free.count() * manager.offer.processors_per_node;
  free_[manager.cluster] += add ? processors : 0 - processors;
  if (add) {
    free_total_ += processors;
    ++freed_;
  } else {
    free_total_ -= processors;
  }
}

void OwnedNodes::set_up(const Party& party, bool up) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || it->second.up == up) return;
  it->second.up = up;
  count(it->second, up);
}

template <class Change>
void OwnedNodes::change_free(Manager& manager, Change change) {
  if (manager.up) count(manager, false);
  change(manager.free);
  if (manager.up) count(manager, true);
}

bool OwnedNodes::meets(const Register& offer, const Constraints& constraints) {
  if (offer.memory_bytes < constraints.memory_bytes) return false;
  return std::all_of(constraints.attributes.begin(), constraints.attributes.end(), [&](const auto& wanted) {
    const auto it = offer.attributes.find(wanted.first);
    return it != offer.attributes.end() && it->second == wanted.second;
  });
}

std::uint32_t OwnedNodes::usable_nodes(const Manager& manager, const Constraints& constraints) const {
  return manager.up && meets(manager.offer, constraints) ? manager.free.count() : 0;
}

std::vector<ClusterView> OwnedNodes::views(const Constraints& constraints) const {
  std::vector<ClusterView> views;
  views.reserve(settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i)
    views.push_back({site_, settings_[i].name, free_[i], totals_[i], std::max(1U, processors_per_node_[i]),
                     settings_[i].quota, true});
  if (constraints == Constraints{}) return views;
  for (auto& view : views) view.idle_processors = view.total_processors = 0;
  for (const auto& [party, manager] : managers_) {
    if (!meets(manager.offer, constraints)) continue;
    ClusterView& view = views[manager.cluster];
    view.idle_processors += usable_nodes(manager, constraints) * manager.offer.processors_per_node;
    view.total_processors += manager.offer.nodes * manager.offer.processors_per_node;
  }
  for (auto& view : views) view.meets_constraints = view.total_processors > 0;
  return views;
}

std::uint32_t OwnedNodes::largest_cluster() const {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const double kept = settings_[i].quota * static_cast<double>(totals_[i]);
    largest = std::max(largest, static_cast<std::uint32_t>(kept + 1e-9));
  }
  return largest;
}

std::uint32_t OwnedNodes::largest_idle() const {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const auto fill = static_cast<std::uint32_t>(settings_[i].quota * static_cast<double>(totals_[i]) + 1e-9);
    const std::uint32_t used = totals_[i] - free_[i];
    if (fill > used) largest = std::max(largest, std::min(free_[i], fill - used));
  }
  return largest;
}

bool OwnedNodes::all_known() const {
  return std::all_of(totals_.begin(), totals_.end(), [](std::uint32_t total) { return total > 0; });
}

void OwnedNodes::take(std::size_t cluster, std::uint32_t processors, const Constraints& constraints,
                      std::uint32_t component, std::vector<NodeGroup>& taken) {
  const std::uint32_t width = processors_per_node_[cluster];
  std::uint32_t nodes = (processors + width - 1) / width;
  free_[cluster] -= nodes * width;
  free_total_ -= nodes * width;
  while (nodes > 0) {
    // The manager that holds the most, but of those that hold all the one with the least: few managers, few fragments.
    std::map<Party, Manager>::iterator best = managers_.end();
    std::uint32_t best_count = 0;
    for (auto it = managers_.begin(); it != managers_.end(); ++it) {
      if (it->second.cluster != cluster) continue;
      const std::uint32_t count = usable_nodes(it->second, constraints);
      const bool better = best_count >= nodes ? count >= nodes && count < best_count : count > best_count;
      if (better) best = it, best_count = count;
    }
    DMM_ASSERT(best != managers_.end());
    const std::uint32_t part = std::min(nodes, best_count);
    taken.push_back({best->first, settings_[cluster].name, best->second.free.take(part), width,
                     best->second.offer.endpoint, component});
    nodes -= part;
  }
}

void OwnedNodes::put(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  DMM_ASSERT(it != managers_.end());
  Manager& manager = it->second;
  const NodeSet usable = subtract(nodes, manager.aside);
  manager.aside_free = unite(manager.aside_free, subtract(nodes, usable));
  change_free(manager, [&](NodeMap& free) { free.put(usable); });
}

NodeSet OwnedNodes::withhold(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return {};
  Manager& manager = it->second;
  const NodeSet others = subtract(manager.aside_free, nodes);
  NodeSet taken = subtract(std::exchange(manager.aside_free, others), others);
  change_free(manager, [&](NodeMap& free) { taken = unite(taken, free.remove(nodes)); });
  return taken;
}

void OwnedNodes::set_aside(const Party& party, const NodeSet& nodes, std::string why) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return;
  Manager& manager = it->second;
  NodeSet added = nodes;
  if (!added.empty() && added.back().last >= manager.offer.nodes) return;
  added = subtract(added, manager.aside);
  manager.aside = unite(manager.aside, added);
  manager.why_aside = std::move(why);
  change_free(manager, [&](NodeMap& free) { manager.aside_free = unite(manager.aside_free, free.remove(added)); });
}

void OwnedNodes::bring_back(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return;
  Manager& manager = it->second;
  manager.aside = subtract(manager.aside, nodes);
  if (manager.aside.empty()) manager.why_aside.clear();
  const NodeSet others = subtract(manager.aside_free, nodes);
  const NodeSet usable = subtract(std::exchange(manager.aside_free, others), others);
  change_free(manager, [&](NodeMap& free) { free.put(usable); });
}

NodeGroup OwnedNodes::group_of(const Party& party, const NodeSet& nodes) const {
  const Manager& manager = managers_.at(party);
  return {party, settings_[manager.cluster].name, nodes, manager.offer.processors_per_node, manager.offer.endpoint, 0};
}

std::vector<OwnedNodes::ManagerView> OwnedNodes::managers() const {
  std::vector<ManagerView> views;
  for (const auto& [party, manager] : managers_)
    views.push_back({party, manager.offer.cluster, manager.offer.nodes, manager.offer.processors_per_node,
                     manager.free.count(), manager.up, manager.aside,
                     dmm::count(manager.aside_free), manager.why_aside});
  return views;
}

std::vector<OwnedNodes::ClusterTotals> OwnedNodes::clusters() const {
  std::vector<ClusterTotals> totals;
  for (std::size_t i = 0; i < settings_.size(); ++i)
    totals.push_back(
        {settings_[i].name, totals_[i], free_[i], std::max(1U, processors_per_node_[i]), settings_[i].quota});
  return totals;
}

}  // namespace dmm
