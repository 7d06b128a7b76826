// Counting processors of needs and nodes, and the arithmetic of node sets and groups.
#include "protocol/resources.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace dmm {

bool is_divided(const ResourceNeed& need) {
  return need.kind == RequestKind::flexible || need.components.size() > 1;
}

std::uint32_t total_processors(const ResourceNeed& need) {
  std::uint32_t total = 0;
  for (const auto& component : need.components) total += component.processors;
  return total;
}

std::uint32_t widest_component(const ResourceNeed& need) {
  if (need.kind != RequestKind::flexible) {
    std::uint32_t widest = 0;
    for (const auto& component : need.components) widest = std::max(widest, component.processors);
    return widest;
  }
  if (!need.splits.empty()) {
    std::uint32_t narrowest = UINT32_MAX;
    for (const auto& split : need.splits)
      if (!split.empty()) narrowest = std::min(narrowest, *std::max_element(split.begin(), split.end()));
    return narrowest;
  }
  const std::uint32_t total = total_processors(need);
  const std::uint32_t spread = need.components_max ? (total + need.components_max - 1) / need.components_max : 1;
  return std::min(total, std::max(need.component_processors_min, spread));
}

WhyNot fault_of(const Attributes& attributes) {
  if (attributes.size() > attributes_max)
    return "there may be at most " + std::to_string(attributes_max) + " attributes";
  for (const auto& [name, value] : attributes)
    if (name.size() > attribute_bytes_max || value.size() > attribute_bytes_max)
      return "an attribute's name and value have at most " + std::to_string(attribute_bytes_max) + " bytes each";
  return {};
}

WhyNot fault_of(const ResourceNeed& need) {
  if (need.kind > RequestKind::flexible) return "there is no such kind of request";
  if (need.components.empty()) return "a request needs at least one component";
  if (need.components.size() > need_components_max) return "a request has at most 64 components";
  if (std::string fault = fault_of(need.constraints->attributes); !fault.empty()) return fault;
  std::uint64_t total = 0;
  for (const auto& component : need.components) {
    if (component.processors == 0) return "a component needs at least 1 processor";
    total += component.processors;
    if (need.kind == RequestKind::fixed && component.cluster.empty() && component.site.empty())
      return "each component of a fixed request names its site or its cluster";
  }
  if (total > processors_max) return "a request is for at most 10,000,000 processors";
  if (need.kind != RequestKind::flexible) return {};
  if (need.components.size() != 1) return "a flexible request has one component, the total";
  if (need.component_processors_min == 0) return "the least size of a component is at least 1 processor";
  if (need.splits.size() > need_components_max) return "a flexible request names at most 64 splits";
  for (const auto& split : need.splits) {
    if (split.size() > need_components_max) return "a split has at most 64 components";
    std::uint64_t sum = 0;
    for (std::uint32_t size : split) {
      if (size == 0) return "a component needs at least 1 processor";
      sum += size;
    }
    if (sum != total) return "each split adds up to the total of the flexible request";
  }
  return {};
}

namespace {

/// Nodes that were granted of one component.
struct Granted {
  std::uint64_t processors = 0, nodes = 0;
  const NodeGroup* first = nullptr;
};

WhyNot fault_of_sizes(const std::vector<Granted>& granted, const ResourceNeed& need) {
  if (need.kind != RequestKind::flexible) {
    if (granted.size() != need.components.size()) return "another number of components than was asked for";
    for (std::size_t i = 0; i < granted.size(); ++i) {
      const Component& asked = need.components[i];
      const std::uint32_t width = granted[i].first->processors_per_node;
      if (granted[i].nodes != (asked.processors + width - 1) / width)
        return "component " + std::to_string(i) + " has another number of nodes than hold " +
               std::to_string(asked.processors) + " processors";
      if (need.kind != RequestKind::fixed) continue;
      const NodeGroup& there = *granted[i].first;
      if ((!asked.cluster.empty() && there.cluster != asked.cluster) ||
          (!asked.site.empty() && there.resource_manager.site != asked.site))
        return "component " + std::to_string(i) + " is not in the cluster that it names";
    }
    return {};
  }
  std::uint64_t processors = 0, most = 0;
  for (const Granted& one : granted) {
    processors += one.processors;
    most += one.first->processors_per_node - 1;  // processors of the last node beyond the component's need
  }
  const std::uint64_t total = need.components.front().processors;
  if (processors < total || processors > total + most) return "another number of processors than was asked for";
  if (need.components_max > 0 && granted.size() > need.components_max) return "more components than was asked for";
  return {};
}

}  // namespace

bool is_possible(const NodeGroup& group) {
  return !group.nodes.empty() && is_well_formed(group.nodes) && group.processors_per_node > 0 &&
         group.processors_per_node <= processors_per_node_max;
}

WhyNot fault_of(const std::vector<NodeGroup>& nodes, const ResourceNeed& need) {
  std::vector<Granted> granted;
  for (const NodeGroup& group : nodes) {
    if (!is_possible(group)) return "impossible nodes";
    if (group.component >= std::min(nodes.size(), components_granted_max))
      return "a component that was not asked for";
    if (group.component >= granted.size()) granted.resize(group.component + 1);
    Granted& one = granted[group.component];
    if (!one.first) one.first = &group;
    if (one.first->cluster != group.cluster || one.first->resource_manager.site != group.resource_manager.site ||
        one.first->processors_per_node != group.processors_per_node)
      return "a component in several clusters";
    one.nodes += count(group.nodes);
    one.processors += std::uint64_t{count(group.nodes)} * group.processors_per_node;
  }
  for (const Granted& one : granted)
    if (!one.first) return "a component is missing";
  return granted.empty() ? "no nodes" : fault_of_sizes(granted, need);
}

std::uint32_t count(const NodeSet& nodes) {
  std::uint32_t sum = 0;
  for (const auto& range : nodes) sum += range.last - range.first + 1;
  return sum;
}

std::uint32_t processors_of(const NodeGroup& group) { return count(group.nodes) * group.processors_per_node; }

std::uint32_t processors_of(const std::vector<NodeGroup>& groups) {
  std::uint32_t sum = 0;
  for (const auto& group : groups) sum += processors_of(group);
  return sum;
}

NodeSet unite(const NodeSet& a, const NodeSet& b) {
  NodeSet merged;
  merged.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  NodeSet result;
  for (const auto& range : merged) {
    if (!result.empty() && range.first <= result.back().last + 1)
      result.back().last = std::max(result.back().last, range.last);
    else
      result.push_back(range);
  }
  return result;
}

NodeSet subtract(const NodeSet& from, const NodeSet& nodes) {
  NodeSet result;
  auto cut = nodes.begin();
  for (NodeRange range : from) {
    while (cut != nodes.end() && cut->last < range.first) ++cut;
    bool gone = false;
    for (auto it = cut; it != nodes.end() && it->first <= range.last; ++it) {
      if (it->first > range.first) result.push_back({range.first, it->first - 1});
      if (it->last >= range.last) {
        gone = true;
        break;
      }
      range.first = it->last + 1;
    }
    if (!gone) result.push_back(range);
  }
  return result;
}

NodeSet intersect(const NodeSet& a, const NodeSet& b) { return subtract(a, subtract(a, b)); }

bool overlap(const NodeSet& a, const NodeSet& b) { return subtract(a, b) != a; }

void append(NodeSet& nodes, std::uint32_t node) {
  if (!nodes.empty() && nodes.back().last + 1 == node)
    nodes.back().last = node;
  else
    nodes.push_back({node, node});
}

bool contains(const NodeSet& outer, const NodeSet& inner) { return subtract(inner, outer).empty(); }

NodeSet take_lowest(NodeSet& from, std::uint32_t wanted) {
  NodeSet taken;
  std::size_t whole = 0;
  while (wanted > 0 && whole < from.size()) {
    NodeRange& range = from[whole];
    const std::uint32_t size = range.last - range.first + 1;
    if (size > wanted) {
      taken.push_back({range.first, range.first + wanted - 1});
      range.first += wanted;
      wanted = 0;
    } else {
      taken.push_back(range);
      wanted -= size;
      ++whole;
    }
  }
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(whole));
  return taken;
}

bool is_well_formed(const NodeSet& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].first > nodes[i].last || nodes[i].last > 100'000'000) return false;
    if (i > 0 && nodes[i].first <= nodes[i - 1].last) return false;
  }
  return true;
}

std::string to_text(const NodeSet& nodes) {
  std::string text;
  for (const auto& range : nodes) {
    if (!text.empty()) text += ',';
    text += std::to_string(range.first);
    if (range.last != range.first) text += '-' + std::to_string(range.last);
  }
  return text;
}

std::vector<NodeGroup> remove_nodes(std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& what) {
  const bool is_all = groups.size() == 1 && what.size() == 1 && groups[0].nodes == what[0].nodes &&
                      groups[0].resource_manager == what[0].resource_manager;
  if (what.empty() || is_all) return std::exchange(groups, {});
  constexpr std::size_t many = 16;  // fewer groups than this are compared one by one
  std::vector<NodeGroup> removed;
  // The component says what uses the nodes, not which nodes they are: it may change when a node is reused.
  const auto take = [&](NodeGroup& group, const NodeGroup& wanted) {
    if (!group.nodes.empty() && group.nodes == wanted.nodes) {
      removed.push_back(std::exchange(group, {}));
      return;
    }
    NodeSet rest = subtract(group.nodes, wanted.nodes);
    if (rest == group.nodes) return;
    NodeGroup gone = group;
    gone.nodes = subtract(group.nodes, rest);
    group.nodes = std::move(rest);
    removed.push_back(std::move(gone));
  };
  if (groups.size() < many || what.size() < many) {
    for (const NodeGroup& wanted : what)
      for (NodeGroup& group : groups)
        if (group.resource_manager == wanted.resource_manager) take(group, wanted);
  } else {
    std::map<Party, std::vector<std::size_t>> at;
    for (std::size_t i = 0; i < groups.size(); ++i) at[groups[i].resource_manager].push_back(i);
    for (const NodeGroup& wanted : what)
      if (const auto known = at.find(wanted.resource_manager); known != at.end())
        for (const std::size_t i : known->second)
          if (!groups[i].nodes.empty()) take(groups[i], wanted);
  }
  std::erase_if(groups, [](const NodeGroup& group) { return group.nodes.empty(); });
  return removed;
}

std::vector<NodeGroup> without(const std::vector<NodeGroup>& groups, const std::vector<NodeGroup>& others) {
  std::vector<NodeGroup> rest = groups;
  if (!others.empty()) remove_nodes(rest, others);
  return rest;
}

}  // namespace dmm
