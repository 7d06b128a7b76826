// Counting and taking owned nodes; see owned_nodes.hpp.
#include "sitemgr/owned_nodes.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// A cluster may have this many times the nodes that are configured: it grows before its configuration does.
constexpr std::uint64_t beyond_planned = 2;

/// Nodes from first to last, or none.
NodeSet all_below(std::uint32_t nodes) { return nodes == 0 ? NodeSet{} : NodeSet{{0, nodes - 1}}; }

std::uint32_t processors_of(const NodeOffer& offer) { return count(nodes_of(offer)) * offer.processors_per_node; }

}  // namespace

bool meets(const NodeProperties& nodes, const Constraints& constraints) {
  if (nodes.memory_bytes < constraints.memory_bytes) return false;
  return std::ranges::all_of(constraints.attributes, [&](const auto& wanted) {
    const auto it = nodes.attributes.find(wanted.first);
    return it != nodes.attributes.end() && it->second == wanted.second;
  });
}

NodeOffer offer_of(const Party& manager, const Register& message) {
  return {manager,
          message.cluster,
          message.nodes,
          message.processors_per_node,
          {message.memory_bytes, message.attributes},
          message.absent};
}

NodeSet nodes_of(const NodeOffer& offer) { return subtract(all_below(offer.nodes), offer.absent); }

OwnedNodes::OwnedNodes(const SiteName& site, const std::vector<ClusterSettings>& clusters) : site_(site) {
  configure(clusters);
}

void OwnedNodes::configure(const std::vector<ClusterSettings>& clusters) {
  DMM_ASSERT(clusters.size() >= settings_.size());
  for (std::size_t i = 0; i < settings_.size(); ++i) DMM_ASSERT(clusters[i].name == settings_[i].name);
  settings_ = clusters;
  known_.resize(clusters.size(), false);
  free_.resize(clusters.size(), 0);
  totals_.resize(clusters.size(), 0);
  managers_in_.resize(clusters.size(), 0);
  nodes_in_.resize(clusters.size(), 0);
  for (Kind& kind : kinds_) kind.stocks.resize(clusters.size());
  ++freed_;  // a greater quota lets more in
  resize();
}

/// What is asked for often and changes rarely.
void OwnedNodes::resize() {
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

/// All nodes of a cluster are as wide as those of the manager that came last.
void OwnedNodes::count_size(const Manager& manager, bool add) {
  const std::uint32_t processors = processors_of(manager.offer);
  DMM_ASSERT(manager.cluster < settings_.size() && manager.kind < kinds_.size());
  DMM_ASSERT(add || (size_ >= processors && managers_in_[manager.cluster] > 0));
  size_ += add ? processors : 0 - std::uint64_t{processors};
  managers_in_[manager.cluster] += add ? 1 : static_cast<std::size_t>(-1);
  const std::uint64_t nodes = dmm::count(nodes_of(manager.offer));
  DMM_ASSERT(add || nodes_in_[manager.cluster] >= nodes);
  nodes_in_[manager.cluster] += add ? nodes : 0 - nodes;
  if (add) widths_[manager.cluster] = manager.offer.processors_per_node;
  kinds_[manager.kind].stocks[manager.cluster].size += add ? processors : 0 - processors;
  DMM_ASSERT(managers_in_[manager.cluster] > 0 || nodes_in_[manager.cluster] == 0);
}

std::optional<std::size_t> OwnedNodes::find_cluster(const ClusterName& name) const {
  const auto named = std::ranges::find(settings_, name, &ClusterSettings::name);
  if (named == settings_.end()) return std::nullopt;
  return static_cast<std::size_t>(named - settings_.begin());
}

std::size_t OwnedNodes::kind_of(const NodeProperties& properties) {
  for (std::size_t i = 0; i < kinds_.size(); ++i)  // as many as there are kinds of nodes
    if (kinds_[i].properties == properties) {
      DMM_ASSERT(kinds_[i].stocks.size() == settings_.size());
      return i;
    }
  kinds_.push_back({properties, std::vector<Stock>(settings_.size())});
  return kinds_.size() - 1;
}

// ---- resource managers ---------------------------------------------------------------------------------------------

WhyNot OwnedNodes::fault_of(const NodeOffer& offer) const {
  const auto cluster = find_cluster(offer.cluster);
  if (!cluster) return "site " + site_.text + " has no cluster " + offer.cluster.text;
  if (offer.processors_per_node == 0 || dmm::count(nodes_of(offer)) == 0)
    return "a resource manager offers at least one node of at least one processor";
  if (offer.nodes > nodes_per_manager_max)
    return "a resource manager offers at most " + std::to_string(nodes_per_manager_max) + " nodes";
  if (offer.processors_per_node > processors_per_node_max)
    return "a node has at most " + std::to_string(processors_per_node_max) + " processors";
  if (std::string fault = dmm::fault_of(offer.properties.attributes); !fault.empty()) return fault;
  const auto known = managers_.find(offer.manager);
  const bool is_known = known != managers_.end();
  const bool was_there = is_known && known->second.cluster == *cluster;
  const bool has_others = managers_in_[*cluster] > (was_there ? 1 : 0);
  if (has_others && widths_[*cluster] != offer.processors_per_node)
    return "the nodes of cluster " + offer.cluster.text + " have " + std::to_string(widths_[*cluster]) +
           " processors each";
  // Any party that can reach a site can invent resource managers. Invented ones can take only what was planned for
  // their cluster, not all that the site may have.
  const std::uint64_t before = was_there ? dmm::count(nodes_of(known->second.offer)) : 0;
  DMM_ASSERT(nodes_in_[*cluster] >= before);
  const std::uint64_t nodes = nodes_in_[*cluster] - before + dmm::count(nodes_of(offer));
  if (const std::uint64_t planned = settings_[*cluster].nodes; planned > 0 && nodes > planned * beyond_planned)
    return "cluster " + offer.cluster.text + " would have " + std::to_string(nodes) +
           " nodes, more than twice the " + std::to_string(planned) + " that the site's configuration gives it";
  DMM_ASSERT(!is_known || size_ >= processors_of(known->second.offer));
  const std::uint64_t others = size_ - (is_known ? processors_of(known->second.offer) : 0);
  const std::uint64_t mine = std::uint64_t{dmm::count(nodes_of(offer))} * offer.processors_per_node;
  return others + mine > processors_max ? "a site has at most 10,000,000 processors" : "";
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
  if (!is_new) count_size(manager, false);
  NodeSet before;
  if (manager.registered) {
    before = subtract(nodes_of(manager.offer), removed);
    if (std::exchange(manager.up, false)) count(offer.manager, manager, false);
    count_total(manager, false);
    manager.aside = subtract(manager.aside, removed);
    manager.aside_free = subtract(manager.aside_free, removed);
    manager.free.remove(removed);
  }
  manager.offer = offer;
  manager.endpoint = std::move(endpoint);
  manager.cluster = *cluster;
  manager.kind = kind_of(offer.properties);
  manager.registered = true;
  manager.free.grow(offer.nodes);
  manager.free.put(subtract(nodes_of(offer), before));
  manager.up = true;
  count_size(manager, true);
  count_total(manager, true);
  count(offer.manager, manager, true);
  DMM_ASSERT(managers_in_[*cluster] > 0 && nodes_in_[*cluster] >= dmm::count(nodes_of(offer)));
  if (changes) resize();
}

void OwnedNodes::remember(NodeOffer offer) {
  const auto cluster = find_cluster(offer.cluster);
  if (!cluster) return;  // it is configured no longer
  known_[*cluster] = true;
  Manager& manager = managers_[offer.manager];
  DMM_ASSERT(!manager.registered);
  manager.cluster = *cluster;
  manager.kind = kind_of(offer.properties);
  manager.offer = std::move(offer);
  count_size(manager, true);
  resize();
}

void OwnedNodes::forget(const Party& party) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return;
  DMM_ASSERT(it->second.free.count() == 0 && it->second.aside_free.empty());  // all were withheld
  count_size(it->second, false);
  if (it->second.registered) {
    if (it->second.up) count(party, it->second, false);
    count_total(it->second, false);
  }
  managers_.erase(it);
  DMM_ASSERT(!managers_.empty() || total_ == 0);
  resize();
}

void OwnedNodes::set_up(const Party& party, bool up) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered || it->second.up == up) return;
  DMM_ASSERT(it->second.cluster < settings_.size() && it->second.kind < kinds_.size());
  it->second.up = up;
  count(party, it->second, up);
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

// ---- sums ----------------------------------------------------------------------------------------------------------

void OwnedNodes::count(const Party& party, const Manager& manager, bool add) {
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

void OwnedNodes::count_total(const Manager& manager, bool add) {
  const std::uint32_t processors = processors_of(manager.offer);
  const std::uint32_t change = add ? processors : 0 - processors;
  DMM_ASSERT(manager.registered && (add || (totals_[manager.cluster] >= processors && total_ >= processors)));
  kinds_[manager.kind].stocks[manager.cluster].total += change;
  totals_[manager.cluster] += change;
  total_ += add ? processors : 0 - std::uint64_t{processors};
  ++changes_;
  DMM_ASSERT(free_[manager.cluster] <= totals_[manager.cluster] && free_total_ <= total_);
}

template <class Change>
void OwnedNodes::change_free(const Party& party, Manager& manager, Change change) {
  if (manager.up) count(party, manager, false);
  change(manager.free);
  if (manager.up) count(party, manager, true);
}

/// How many of a cluster's processors requests may fill, in whole nodes.
std::uint32_t OwnedNodes::fill(std::size_t cluster, std::uint64_t processors) const {
  const auto most = static_cast<std::uint32_t>(settings_[cluster].quota * static_cast<double>(processors) + 1e-9);
  return most - most % std::max(1U, widths_[cluster]);
}

// ---- taking and giving ---------------------------------------------------------------------------------------------

/// Of managers with `nodes` free ones or more, as few as will do: the one with nodes that are spared until
/// `until`, and for the least time beyond. If there is none, the one with nodes that are spared for the longest.
static const std::tuple<std::uint32_t, Instant, Party>* fitting(const node_stock::ByFree& by_free,
                                                                std::uint32_t nodes, Instant until) {
  constexpr int counts_looked_at_max = 16;
  const std::tuple<std::uint32_t, Instant, Party>* longest = nullptr;
  auto least = by_free.lower_bound({nodes, Instant{INT64_MIN}, Party{}});
  for (int counts = 0; least != by_free.end() && counts < counts_looked_at_max; ++counts) {
    const std::uint32_t free = std::get<std::uint32_t>(*least);
    const auto spared = by_free.lower_bound({free, until, Party{}});
    if (spared != by_free.end() && std::get<std::uint32_t>(*spared) == free) return &*spared;
    const auto last = std::prev(spared);
    if (!longest || std::get<Instant>(*longest) < std::get<Instant>(*last)) longest = &*last;
    least = spared;
  }
  return longest;
}

const OwnedNodes::Manager* OwnedNodes::best(std::size_t cluster, std::uint32_t nodes,
                                            const Constraints& constraints, Instant until) const {
  const Party* holds_all = nullptr;
  const Party* holds_most = nullptr;
  std::pair<std::size_t, std::uint32_t> best_all{};
  std::uint32_t most = 0;
  for (const Kind& kind : kinds_) {
    if (!meets(kind.properties, constraints)) continue;
    const auto& by_free = kind.stocks[cluster].by_free;
    if (by_free.empty()) continue;
    if (const auto* fits = fitting(by_free, nodes, until)) {
      const std::pair<std::size_t, std::uint32_t> rank{kind.properties.attributes.size(),
                                                       std::get<std::uint32_t>(*fits)};
      if (!holds_all || rank < best_all) holds_all = &std::get<Party>(*fits), best_all = rank;
      continue;
    }
    const std::uint32_t greatest = std::get<std::uint32_t>(*by_free.rbegin());
    if (greatest > most) holds_most = &std::get<Party>(*fitting(by_free, greatest, until)), most = greatest;
  }
  const Party* chosen = holds_all ? holds_all : holds_most;
  if (!chosen) return nullptr;
  const Manager& manager = managers_.at(*chosen);
  DMM_ASSERT(manager.up && manager.cluster == cluster);
  return &manager;
}

void OwnedNodes::take(std::size_t cluster, std::uint32_t processors, const Constraints& constraints,
                      std::uint32_t component, std::vector<NodeGroup>& taken, Instant until) {
  DMM_ASSERT(cluster < widths_.size() && widths_[cluster] > 0);
  const std::uint32_t per_node = widths_[cluster];
  std::uint32_t nodes = (processors + per_node - 1) / per_node;
  while (nodes > 0) {
    const Manager* found = best(cluster, nodes, constraints, until);
    DMM_ASSERT(found && found->free.count() > 0 && found->offer.processors_per_node == per_node);
    Manager& manager = managers_.at(found->offer.manager);
    const std::uint32_t part = std::min(nodes, manager.free.count());
    NodeGroup group{
        manager.offer.manager, settings_[cluster].name, {}, per_node, ShortText(manager.endpoint), component};
    const std::uint64_t freed = freed_;
    change_free(manager.offer.manager, manager, [&](NodeMap& free) { group.nodes = free.take(part); });
    freed_ = freed;
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
  const std::uint64_t freed = freed_;
  change_free(party, manager, [&](NodeMap& free) { taken = unite(taken, free.remove(nodes)); });
  freed_ = freed;
  DMM_ASSERT(dmm::count(manager.aside_free) <= dmm::count(manager.aside));
  return taken;
}

bool OwnedNodes::expect(const Party& party, Instant until) {
  const auto it = managers_.find(party);
  if (it == managers_.end()) return false;
  Manager& manager = it->second;
  if (manager.registered && manager.up) {
    node_stock::ByFree& by_free = kinds_[manager.kind].stocks[manager.cluster].by_free;
    auto entry = by_free.extract({manager.free.count(), manager.expected_until, party});
    DMM_ASSERT(!entry.empty());
    std::get<Instant>(entry.value()) = until;
    by_free.insert(std::move(entry));
  }
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
  DMM_ASSERT(dmm::count(manager.aside_free) <= dmm::count(manager.aside));
}

void OwnedNodes::bring_back(const Party& party, const NodeSet& nodes) {
  const auto it = managers_.find(party);
  if (it == managers_.end() || !it->second.registered) return;
  Manager& manager = it->second;
  manager.aside = subtract(manager.aside, nodes);
  if (manager.aside.empty()) manager.why_aside.clear();
  const NodeSet others = subtract(manager.aside_free, nodes);
  const NodeSet usable = subtract(std::exchange(manager.aside_free, others), others);
  DMM_ASSERT(dmm::count(manager.aside_free) <= dmm::count(manager.aside));
  change_free(party, manager, [&](NodeMap& free) { free.put(usable); });
}

NodeGroup OwnedNodes::group_of(const Party& party, const NodeSet& nodes) const {
  const Manager& manager = managers_.at(party);
  DMM_ASSERT(manager.registered);
  return {party,
          settings_[manager.cluster].name,
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

}  // namespace dmm
