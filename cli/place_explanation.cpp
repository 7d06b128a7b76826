// See place_explanation.hpp.
#include "cli/place_explanation.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <set>
#include <utility>

#include "matchmaking/policy.hpp"

namespace dmm {
namespace {

/// The rule of each policy, to follow its name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> rules{{
    {"worst_fit", "puts the largest component first, and each on the cluster with most left: loads stay even"},
    {"cm", "fills the emptiest cluster before it looks at the next: a job spans few clusters"},
    {"fcm", "cuts a flexible request to the idle counts of the emptiest clusters, and places others as cm does"},
    {"best_fit", "puts each component on the fullest cluster that holds it: large gaps stay whole"},
}};

/// Why a fixed need has no placement: the first cluster that is asked for more than it has.
std::string why_not_fixed(const ResourceNeed& need, const std::vector<ClusterView>& clusters) {
  for (const auto& cluster : clusters) {
    std::uint64_t asked = 0;
    for (const auto& component : need.components) {
      if (component.cluster != cluster.name) continue;
      const std::uint32_t per_node = cluster.processors_per_node;
      asked += (std::uint64_t{component.processors} + per_node - 1) / per_node * per_node;
    }
    const std::uint32_t usable = usable_processors(cluster);
    if (asked <= usable) continue;
    return cluster.name.text + " is asked for " + std::to_string(asked) + " processors in whole nodes, and " +
           std::to_string(usable) + " of its idle ones are usable";
  }
  return "the clusters it names have no room";
}

std::string text_of(const PlaceAlternative& alternative, const PlaceReport& report) {
  if (!alternative.placement) return "none: " + alternative.why_not;
  std::string text;
  for (const PlacedComponent& placed : *alternative.placement)
    text += (text.empty() ? "#" : ", #") + std::to_string(placed.component + 1) + ' ' +
            std::to_string(placed.processors) + " on " + report.clusters[placed.cluster].name.text;
  return text;
}

std::string count_of(const PlaceAlternative& alternative) {
  return alternative.placement ? std::to_string(clusters_of(*alternative.placement)) : "-";
}

}  // namespace

std::string why_not_placed(const ResourceNeed& need, const std::vector<ClusterView>& clusters,
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
  if (policy != flexible_cluster_minimization)
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

std::vector<PlaceAlternative> alternatives_for(const ResourceNeed& need,
                                               const std::vector<ClusterView>& clusters) {
  std::vector<PlaceAlternative> all;
  for (const auto& [name, rule] : rules) {
    const PlacementPolicy policy = find_placement(name);
    PlaceAlternative one{name, rule, policy(need, clusters), {}};
    if (!one.placement) one.why_not = why_not_placed(need, clusters, policy);
    all.push_back(std::move(one));
  }
  return all;
}

void print_alternatives(const PlaceReport& report, std::ostream& out) {
  out << '\n'
      << std::left << std::setw(12) << "policy" << std::right << std::setw(10) << "clusters"
      << "  placement\n";
  for (const PlaceAlternative& one : report.alternatives) {
    const std::string name = std::string(one.policy) + (one.policy == report.policy ? " *" : "");
    out << std::left << std::setw(12) << name << std::right << std::setw(10) << count_of(one) << "  "
        << text_of(one, report) << '\n';
  }
  out << '\n';
  for (const PlaceAlternative& one : report.alternatives) out << one.policy << ' ' << one.rule << '\n';
}

}  // namespace dmm
