// The clauses of a need, the worst first; see clause.hpp.
#include "sitemgr/clause.hpp"

#include <algorithm>

namespace dmm {
namespace {

std::string text_of(double quota) {
  std::string text = std::to_string(quota);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text + "0" : text;
}

/// For a need that no cluster is large enough for, whatever its nodes have.
Clause clause_of_size(const ResourceNeed& need, const OwnedNodes& owned, const Placer& placer) {
  std::vector<ClusterView> sizes = owned.sizes({});
  const auto largest = std::ranges::max_element(sizes, {}, &ClusterView::total_processors);
  if (largest == sizes.end() || largest->total_processors == 0) return {RejectReason::no_nodes, {}};
  const std::string of_largest = largest->name.text + " has " + std::to_string(largest->total_processors) +
                                 " processors in nodes of " + std::to_string(largest->processors_per_node);
  const std::string quota = text_of(largest->quota);
  for (ClusterView& cluster : sizes) cluster.quota = 1.0;
  if (placer.place(need, sizes)) return {RejectReason::over_quota, of_largest + ", and its quota is " + quota};
  const std::uint32_t widest = widest_component(need);
  if (largest->total_processors < widest) return {RejectReason::too_wide, of_largest};
  return {RejectReason::apart, of_largest};
}

}  // namespace

RejectReason why_unusable(const std::vector<OwnedManagerView>& managers, const ClusterName& cluster) {
  RejectReason reason = RejectReason::nodes_down;
  for (const OwnedManagerView& manager : managers) {
    if (manager.cluster != cluster || !manager.up) continue;
    if (count(manager.aside) < manager.nodes) return RejectReason::no_capacity;
    reason = RejectReason::nodes_aside;
  }
  return reason;
}

Clause clause_of(const ResourceNeed& need, const SiteName& site, const OwnedNodes& owned, const Placer& placer,
                 bool is_drained) {
  const auto fits = [&](const Constraints& constraints) {
    return placer.place(need, owned.sizes(constraints)).has_value();
  };
  const Constraints& wanted = need.constraints;
  if (!fits(wanted)) {
    if (!fits({})) return clause_of_size(need, owned, placer);
    for (const auto& [name, value] : wanted.attributes)
      if (!fits({0, {{name, value}}})) return {RejectReason::no_attribute, name + "=" + value};
    if (!fits({wanted.memory_bytes, {}}))
      return {RejectReason::too_little_memory, std::to_string(wanted.memory_bytes) + " bytes"};
    std::string all;
    for (const auto& [name, value] : wanted.attributes) all += (all.empty() ? "" : " and ") + name + "=" + value;
    return {RejectReason::no_attribute,
            all + (wanted.memory_bytes > 0 ? " with the memory that it asks for" : "")};
  }
  if (is_drained) return {RejectReason::drained, {}};
  if (placer.place(need, owned.standing(wanted))) return {RejectReason::no_capacity, {}};
  std::string down, aside;
  for (const OwnedManagerView& manager : owned.managers()) {
    if (!manager.up) down += (down.empty() ? "" : ", ") + site.text + "/" + manager.party.name;
    if (!manager.aside.empty())
      aside += (aside.empty() ? "" : "; ") + manager.party.name + ": " + manager.why_aside;
  }
  if (owned.all_up()) return {RejectReason::nodes_aside, aside};
  if (down.empty() && !owned.managers().empty()) {
    std::uint64_t offered = 0, configured = 0;
    for (const ClusterView& cluster : owned.standing({})) offered += cluster.idle_processors;
    for (const ClusterView& cluster : owned.sizes({})) configured += cluster.total_processors;
    return {RejectReason::nodes_missing,
            std::to_string(offered) + " of " + std::to_string(configured) + " processors"};
  }
  return {RejectReason::nodes_down, down.empty() ? "no resource manager has come yet" : down};
}

}  // namespace dmm
