#include "sitemgr/node_sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/programs.hpp"

namespace dmm {
namespace {

/// A cluster may have this many times the nodes that are configured: it grows before its configuration does.
constexpr std::uint64_t beyond_planned = 2;

std::uint32_t processors_of(const NodeOffer& offer) { return count(nodes_of(offer)) * offer.processors_per_node; }

/// Of configured nodes that no resource manager has offered yet: what these find out by themselves they may have.
NodeProperties perhaps(const ClusterSettings& configured) {
  NodeProperties properties{configured.memory_bytes, configured.attributes};
  properties.attributes.try_emplace(connectable_attribute, connectable_value);
  properties.attributes.try_emplace(users_apart_attribute, users_apart_value);
  properties.attributes.try_emplace(staging_attribute, staging_value);
  return properties;
}

std::uint64_t planned_processors(const ClusterSettings& configured) {
  return std::uint64_t{configured.nodes} * configured.processors_per_node;
}

}  // namespace

void NodeSums::configure(const std::vector<ClusterSettings>& clusters) {
  DMM_ASSERT(clusters.size() >= settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i) DMM_ASSERT(clusters[i].name == settings_[i].name);
  settings_ = clusters;
  free_.resize(clusters.size(), 0);
  totals_.resize(clusters.size(), 0);
  managers_in_.resize(clusters.size(), 0);
  nodes_in_.resize(clusters.size(), 0);
  for (Kind& kind : kinds_) kind.stocks.resize(clusters.size());
  ++freed_;  // a greater quota lets more in
  resize();
}

/// What is asked for often and changes rarely.
void NodeSums::resize() {
  ++changes_;
  ++size_changes_;
  widths_.resize(settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i)
    if (managers_in_[i] == 0) widths_[i] = std::max(1U, settings_[i].processors_per_node);
  largest_cluster_ = 0;
  const std::vector<ClusterView> all = sizes({});
  DMM_ASSERT(all.size() == widths_.size() && all.size() == totals_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    largest_cluster_ = std::max(largest_cluster_, fill(i, all[i].total_processors));
}

std::optional<std::size_t> NodeSums::find_cluster(const ClusterName& name) const {
  const auto named = std::ranges::find(settings_, name, &ClusterSettings::name);
  if (named == settings_.end()) return std::nullopt;
  return static_cast<std::size_t>(named - settings_.begin());
}

std::size_t NodeSums::kind_of(const NodeProperties& properties) {
  for (std::size_t i = 0; i < kinds_.size(); ++i)  // as many as there are kinds of nodes
    if (kinds_[i].properties == properties) {
      DMM_ASSERT(kinds_[i].stocks.size() == settings_.size());
      return i;
    }
  kinds_.push_back({properties, std::vector<Stock>(settings_.size())});
  return kinds_.size() - 1;
}

WhyNot NodeSums::fault_of(const NodeOffer& offer, const Manager* known) const {
  const auto cluster = find_cluster(offer.cluster);
  if (!cluster) return "site " + site_.text + " has no cluster " + offer.cluster.text;
  if (offer.processors_per_node == 0 || count(nodes_of(offer)) == 0)
    return "a resource manager offers at least one node of at least one processor";
  if (offer.nodes > nodes_per_manager_max)
    return "a resource manager offers at most " + std::to_string(nodes_per_manager_max) + " nodes";
  if (offer.processors_per_node > processors_per_node_max)
    return "a node has at most " + std::to_string(processors_per_node_max) + " processors";
  if (std::string fault = dmm::fault_of(offer.properties.attributes); !fault.empty()) return fault;
  const bool was_there = known && known->cluster == *cluster;
  const bool has_others = managers_in_[*cluster] > (was_there ? 1 : 0);
  if (has_others && widths_[*cluster] != offer.processors_per_node)
    return "the nodes of cluster " + offer.cluster.text + " have " + std::to_string(widths_[*cluster]) +
           " processors each";
  // Any party that can reach a site can invent resource managers. Invented ones can take only what was planned for
  // their cluster, not all that the site may have.
  const std::uint64_t before = was_there ? count(nodes_of(known->offer)) : 0;
  DMM_ASSERT(nodes_in_[*cluster] >= before);
  const std::uint64_t nodes = nodes_in_[*cluster] - before + count(nodes_of(offer));
  if (const std::uint64_t planned = settings_[*cluster].nodes; planned > 0 && nodes > planned * beyond_planned)
    return "cluster " + offer.cluster.text + " would have " + std::to_string(nodes) +
           " nodes, more than twice the " + std::to_string(planned) + " that the site's configuration gives it";
  DMM_ASSERT(!known || size_ >= processors_of(known->offer));
  const std::uint64_t others = size_ - (known ? processors_of(known->offer) : 0);
  const std::uint64_t mine = std::uint64_t{count(nodes_of(offer))} * offer.processors_per_node;
  return others + mine > processors_max ? "a site has at most 10,000,000 processors" : "";
}

// ---- counting ------------------------------------------------------------------------------------------------------

/// All nodes of a cluster are as wide as those of the manager that came last.
void NodeSums::count_size(const Manager& manager, bool add) {
  const std::uint32_t processors = processors_of(manager.offer);
  DMM_ASSERT(manager.cluster < settings_.size() && manager.kind < kinds_.size());
  DMM_ASSERT(add || (size_ >= processors && managers_in_[manager.cluster] > 0));
  size_ += add ? processors : 0 - std::uint64_t{processors};
  managers_in_[manager.cluster] += add ? 1 : static_cast<std::size_t>(-1);
  const std::uint64_t nodes = count(nodes_of(manager.offer));
  DMM_ASSERT(add || nodes_in_[manager.cluster] >= nodes);
  nodes_in_[manager.cluster] += add ? nodes : 0 - nodes;
  if (add) widths_[manager.cluster] = manager.offer.processors_per_node;
  kinds_[manager.kind].stocks[manager.cluster].size += add ? processors : 0 - processors;
  DMM_ASSERT(managers_in_[manager.cluster] > 0 || nodes_in_[manager.cluster] == 0);
  DMM_ASSERT(!add || (managers_in_[manager.cluster] > 0 && nodes_in_[manager.cluster] >= nodes));
}

void NodeSums::count_total(const Manager& manager, bool add) {
  const std::uint32_t processors = processors_of(manager.offer);
  const std::uint32_t change = add ? processors : 0 - processors;
  DMM_ASSERT(manager.registered && (add || (totals_[manager.cluster] >= processors && total_ >= processors)));
  kinds_[manager.kind].stocks[manager.cluster].total += change;
  totals_[manager.cluster] += change;
  total_ += add ? processors : 0 - std::uint64_t{processors};
  ++changes_;
  DMM_ASSERT(free_[manager.cluster] <= totals_[manager.cluster] && free_total_ <= total_);
}

void NodeSums::count_free(const Party& party, const Manager& manager, bool add) {
  const std::uint32_t processors = manager.free.count() * manager.offer.processors_per_node;
  const std::uint32_t change = add ? processors : 0 - processors;
  Stock& stock = kinds_[manager.kind].stocks[manager.cluster];
  DMM_ASSERT(manager.registered && (add || (stock.free >= processors && free_total_ >= processors)));
  stock.free += change;
  free_[manager.cluster] += change;
  ++changes_;
  if (add) {
    free_total_ += processors;
    const bool is_new = stock.by_free.emplace(manager.free.count(), manager.expected_until, party).second;
    DMM_ASSERT(is_new);
    ++freed_;
  } else {
    free_total_ -= processors;
    const std::size_t erased = stock.by_free.erase({manager.free.count(), manager.expected_until, party});
    DMM_ASSERT(erased == 1);
  }
  DMM_ASSERT(stock.free <= stock.total && free_[manager.cluster] <= totals_[manager.cluster] &&
             free_total_ <= total_);
}

void NodeSums::expect(const Party& party, const Manager& manager, Instant until) {
  node_stock::ByFree& by_free = kinds_[manager.kind].stocks[manager.cluster].by_free;
  auto entry = by_free.extract({manager.free.count(), manager.expected_until, party});
  DMM_ASSERT(!entry.empty());
  std::get<Instant>(entry.value()) = until;
  by_free.insert(std::move(entry));
}

/// How many of a cluster's processors requests may fill, in whole nodes.
std::uint32_t NodeSums::fill(std::size_t cluster, std::uint64_t processors) const {
  const auto most = static_cast<std::uint32_t>(settings_[cluster].quota * static_cast<double>(processors) + 1e-9);
  return most - most % std::max(1U, widths_[cluster]);
}

/// The same of nodes of one kind, in a cluster that has others, too: what all kinds may fill is never more than their
/// sum. So it is rounded up to whole nodes.
std::uint32_t NodeSums::fill_of_part(std::size_t cluster, std::uint64_t processors) const {
  const std::uint32_t width = std::max(1U, widths_[cluster]);
  const auto all = static_cast<std::uint32_t>(processors);
  const auto least =
      static_cast<std::uint32_t>(std::ceil(settings_[cluster].quota * static_cast<double>(processors) - 1e-9));
  return std::min(all, (least + width - 1) / width * width);
}

// ---- what there is -------------------------------------------------------------------------------------------------

std::vector<ClusterView> NodeSums::views(const Constraints& constraints) const {
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

std::uint32_t NodeSums::largest_idle() const {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    DMM_ASSERT(free_[i] <= totals_[i]);
    const std::uint32_t limit = fill(i, totals_[i]);
    const std::uint32_t used = totals_[i] - free_[i];
    if (limit > used) largest = std::max(largest, std::min(free_[i], limit - used));
  }
  return largest;
}

bool NodeSums::all_up() const {
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    std::size_t up = 0;
    for (const Kind& kind : kinds_) up += kind.stocks[i].by_free.size();
    DMM_ASSERT(up <= managers_in_[i]);
    if (up < managers_in_[i] || totals_[i] < planned_processors(settings_[i])) return false;
  }
  return true;
}

// ---- what can be ---------------------------------------------------------------------------------------------------

/// Offered nodes that have what is configured, or more, are the configured ones.
std::uint64_t NodeSums::missing_processors(std::size_t cluster) const {
  const ClusterSettings& configured = settings_[cluster];
  std::uint64_t offered = 0;
  for (const Kind& kind : kinds_)
    if (meets(kind.properties, {configured.memory_bytes, configured.attributes}))
      offered += kind.stocks[cluster].size;
  const std::uint64_t planned = planned_processors(configured);
  return planned - std::min(planned, offered);
}

std::vector<ClusterView> NodeSums::sizes(const Constraints& constraints) const {
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

std::vector<NodeClass> NodeSums::classes(Duration longest) const {
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
  std::vector<std::size_t> kinds_in(settings_.size());
  for (const auto& [properties, sizes] : by_kind)
    for (std::size_t i = 0; i < sizes.size(); ++i) kinds_in[i] += sizes[i] > 0;
  std::vector<NodeClass> classes;
  for (const auto& [properties, sizes] : by_kind) {
    NodeClass one{properties.memory_bytes, properties.attributes, 0, 0, longest, false, 0, {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint32_t usable = kinds_in[i] > 1 ? fill_of_part(i, sizes[i]) : fill(i, sizes[i]);
      one.largest = std::max(one.largest, usable);
      one.together += usable;
    }
    one.in_all = one.together;
    one.sites.push_back({site_, one.together, false});
    if (one.largest > 0) classes.push_back(std::move(one));
  }
  return classes;
}

std::vector<OwnedClusterView> NodeSums::clusters() const {
  const std::vector<ClusterView> all = sizes({});
  DMM_ASSERT(all.size() == settings_.size());
  std::vector<OwnedClusterView> totals;
  for (std::size_t i = 0; i < settings_.size(); ++i)
    totals.push_back(
        {settings_[i].name, totals_[i], free_[i], widths_[i], settings_[i].quota, all[i].total_processors});
  return totals;
}

}  // namespace dmm
