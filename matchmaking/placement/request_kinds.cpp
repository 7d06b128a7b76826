#include "matchmaking/placement/request_kinds.hpp"

#include <algorithm>
#include <vector>

namespace dmm {
namespace {

bool is_named(const ClusterView& cluster, const Component& component) {
  return (component.cluster.empty() || component.cluster == cluster.name) &&
         (component.site.empty() || component.site == cluster.site);
}

bool names_both(const Component& component) { return !component.cluster.empty() && !component.site.empty(); }

/// The first cluster with the site and name of the component that has room for it; clusters.size() if there is none.
std::size_t first_named(std::span<const ClusterView> clusters, const Component& component, const Room& room) {
  std::size_t at = 0;
  while (at < clusters.size() && !(is_named(clusters[at], component) && room.fits(at, component.processors))) ++at;
  return at;
}

std::vector<std::uint32_t> sizes_of(const ResourceNeed& need) {
  std::vector<std::uint32_t> sizes;
  sizes.reserve(need.components.size());
  for (const auto& component : need.components) sizes.push_back(component.processors);
  return sizes;
}

bool keeps_bounds(const ResourceNeed& need, std::span<const std::uint32_t> split) {
  if (need.components_max != 0 && split.size() > need.components_max) return false;
  return std::all_of(split.begin(), split.end(),
                     [&need](std::uint32_t size) { return size >= need.component_processors_min; });
}

}  // namespace

std::optional<Placement> place_fixed(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  Room room(clusters);
  Placement placement(need.components.size());
  // Components that name site and cluster have no choice, so they go first. A component that fits two clusters must not
  // take the place of one that fits only one of them.
  for (const bool both : {true, false}) {
    for (std::uint32_t i = 0; i < need.components.size(); ++i) {
      const Component& component = need.components[i];
      if (names_both(component) != both) continue;
      const std::size_t at = first_named(clusters, component, room);
      if (at == clusters.size()) return std::nullopt;
      room.take(at, component.processors);
      placement[i] = {i, at, component.processors};
    }
  }
  return placement;
}

std::optional<Placement> place_sizes(std::span<const std::uint32_t> sizes, std::span<const ClusterView> clusters,
                                     SizesPolicy policy) {
  if (sizes.empty()) return std::nullopt;
  // Most tries in a long queue end here: the widest component fits nowhere. So check this before any memory is
  // allocated.
  const std::uint32_t widest = *std::max_element(sizes.begin(), sizes.end());
  const auto fits = [widest](const ClusterView& cluster) { return widest <= usable_processors(cluster); };
  if (std::none_of(clusters.begin(), clusters.end(), fits)) return std::nullopt;
  Room room(clusters);
  return policy(sizes, room);
}

std::optional<Placement> place_splits(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                      SizesPolicy policy) {
  for (const auto& split : need.splits) {
    if (!keeps_bounds(need, split)) continue;
    if (auto placement = place_sizes(split, clusters, policy)) return placement;
  }
  return std::nullopt;
}

std::optional<Placement> place_uncut(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                     SizesPolicy policy) {
  if (need.kind == RequestKind::fixed) return place_fixed(need, clusters);
  if (need.kind == RequestKind::flexible && !need.splits.empty()) return place_splits(need, clusters, policy);
  // Most needs have one component: no list of sizes is made for it.
  if (need.components.size() == 1) return place_sizes({&need.components[0].processors, 1}, clusters, policy);
  return place_sizes(sizes_of(need), clusters, policy);
}

}  // namespace dmm
