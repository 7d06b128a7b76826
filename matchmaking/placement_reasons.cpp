#include "matchmaking/placement_reasons.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "matchmaking/policy.hpp"

namespace dmm {
namespace {

bool may_be_on(const Component& component, const ClusterView& cluster) {
  return (component.site.empty() || component.site == cluster.site) &&
         (component.cluster.empty() || component.cluster == cluster.name);
}

/// "beta/c1", "beta" or "c1": the names that are given.
std::string name_of(const SiteName& site, const ClusterName& cluster) {
  return site.text + (site.empty() || cluster.empty() ? "" : "/") + cluster.text;
}

std::uint64_t in_whole_nodes(std::uint32_t processors, std::uint32_t per_node) {
  return (std::uint64_t{processors} + per_node - 1) / per_node * per_node;
}

/// Why a fixed need has no placement: the first place that is unknown, or that has less than is asked of it.
std::string why_not_fixed(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  for (const Component& place : need.components) {
    std::uint64_t asked = 0, usable = 0;
    std::uint32_t per_node = 0;
    for (const ClusterView& cluster : clusters) {
      if (!may_be_on(place, cluster)) continue;
      usable += usable_processors(cluster);
      per_node = per_node == 0 ? cluster.processors_per_node : std::min(per_node, cluster.processors_per_node);
    }
    const std::string name = name_of(place.site, place.cluster);
    if (per_node == 0) return "there is no " + name;
    for (const Component& other : need.components)
      if (other.site == place.site && other.cluster == place.cluster)
        asked += in_whole_nodes(other.processors, per_node);
    if (asked > usable)
      return name + " is asked for " + std::to_string(asked) + " processors in whole nodes, and " +
             std::to_string(usable) + " of its idle ones are usable";
  }
  return "the clusters it names have no room";
}

bool minds_files(std::span<const ClusterView> clusters) {
  return std::ranges::any_of(clusters, [](const ClusterView& view) { return view.staging > Duration{}; });
}

/// "12.5 s".
std::string seconds_text(Duration length) {
  const std::int64_t tenths = (length.microseconds + 50'000) / 100'000;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s";
}

/// "16 on a/c, 8 on b/c": by cluster, in the order in which they are used first.
std::string text_of(const Placement& placement, std::span<const ClusterView> clusters) {
  std::vector<std::size_t> order;
  std::map<std::size_t, std::uint64_t> taken;
  for (const PlacedComponent& placed : placement) {
    if (!taken.contains(placed.cluster)) order.push_back(placed.cluster);
    taken[placed.cluster] += placed.processors;
  }
  std::string text;
  const bool minds = minds_files(clusters);
  for (const std::size_t cluster : order) {
    const ClusterView& view = clusters[cluster];
    text += (text.empty() ? "" : ", ") + std::to_string(taken[cluster]) + " on " +
            (view.site.empty() ? "" : view.site.text + "/") + view.name.text;
    if (minds) text += " (files in " + seconds_text(view.staging) + ")";
  }
  return text;
}

std::string count_text(const Placement& placement) {
  const std::size_t count = clusters_of(placement);
  return std::to_string(count) + (count == 1 ? " cluster" : " clusters");
}

}  // namespace

std::string why_not_placed(const ResourceNeed& need, std::span<const ClusterView> clusters,
                           PlacementPolicy policy) {
  if (need.kind == RequestKind::fixed) return why_not_fixed(need, clusters);
  std::uint64_t usable = 0;
  std::uint32_t largest = 0;
  for (const auto& cluster : clusters) {
    usable += usable_processors(cluster);
    largest = std::max(largest, usable_processors(cluster));
  }
  const std::string asked = std::to_string(total_processors(need));
  const std::string widest = std::to_string(widest_component(need));
  const std::string largest_text = "the largest usable idle count is " + std::to_string(largest);
  if (total_processors(need) > usable)
    return asked + " processors are asked for, and " + std::to_string(usable) + " are usable in all";
  if (need.kind == RequestKind::non_fixed && widest_component(need) > largest)
    return "the widest component has " + widest + " processors, and " + largest_text;
  if (need.kind == RequestKind::non_fixed)
    return "it finds no room for all components at once, though each fits a cluster alone";
  if (!need.splits.empty()) return "none of the acceptable splits fits, and " + largest_text;
  if (policy != flexible_cluster_minimization && policy != bfff)
    return "it does not cut a flexible request: " + asked + " processors have to fit one cluster, and " +
           largest_text;
  const std::string at_least = std::to_string(need.component_processors_min);
  const std::string at_most = std::to_string(need.components_max);
  return "no cut into " + (need.components_max == 0 ? std::string() : "at most " + at_most + " ") +
         "components of " + at_least + " processors or more fits, and " + largest_text;
}

std::size_t clusters_of(const Placement& placement) {
  std::set<std::size_t> clusters;
  for (const PlacedComponent& placed : placement) clusters.insert(placed.cluster);
  return clusters.size();
}

std::vector<PlacementAlternative> alternatives_for(const ResourceNeed& need,
                                                   std::span<const ClusterView> clusters) {
  std::vector<PlacementAlternative> all;
  for (const PlacementPolicy policy : placement_policies()) {
    PlacementAlternative one{name_of(policy), policy(need, clusters), {}};
    if (!one.placement) one.why_not = why_not_placed(need, clusters, policy);
    all.push_back(std::move(one));
  }
  return all;
}

/// Whether the policy is the same as an earlier one for such a need on such clusters.
static bool is_repetition(std::string_view policy, const ResourceNeed& need,
                          std::span<const ClusterView> clusters) {
  if (policy == name_of(bfff)) return need.kind != RequestKind::flexible;
  return policy == name_of(close_to_files) && !minds_files(clusters);
}

std::string reason_of(const ResourceNeed& need, std::span<const ClusterView> clusters, PlacementPolicy policy,
                      const Placement& chosen) {
  const std::string_view own = name_of(policy);
  const std::string what = " chose " + count_text(chosen) + ": " + text_of(chosen, clusters);
  if (need.kind == RequestKind::fixed) return std::string(own) + what + ", as its components ask for it";
  std::string by(own), others;
  for (const PlacementAlternative& one : alternatives_for(need, clusters)) {
    if (one.placement == chosen || (one.policy != own && is_repetition(one.policy, need, clusters))) continue;
    if (one.policy == own)
      by = one.placement ? "the links" : "any fit, since " + std::string(own) + " finds none,";
    if (one.placement)
      others += "; " + std::string(one.policy) + " would take " + count_text(*one.placement) + ": " +
                text_of(*one.placement, clusters);
    else if (one.policy != own)
      others += "; " + std::string(one.policy) + " finds none: " + one.why_not;
  }
  return by + what + others;
}

}  // namespace dmm
