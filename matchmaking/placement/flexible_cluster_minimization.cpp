// Flexible cluster minimization: cuts a request to the sizes of the gaps (Sonmez et al. 2006, section 4.2, figure 3).
//
// The paper's loop fills the emptiest clusters to the brim and puts the remainder on the last. With a lower bound on
// the size of a component, the remainder may be too small although another cut exists. With at least 4 each, idle 18
// and 15, and 20 in all, 18 + 2 fails and 16 + 4 works. So the number of clusters is found first, and each cut leaves
// the least size for every cluster still to come. Without a bound above 1 this is the paper's loop.
//
// Why this finds a cut whenever there is one: let k be the fewest of the emptiest clusters that together hold the
// request. No fewer clusters can hold it. If the k-th is smaller than the least size m, then only k - 1 clusters can
// take a component at all. If k * m is more than the request, the same is true of any larger number.
#include <algorithm>

#include "matchmaking/placement/cluster_minimization.hpp"
#include "matchmaking/placement/request_kinds.hpp"

namespace dmm {
namespace {

/// The number of the emptiest clusters that together hold `processors`; 0 if all together don't.
std::size_t clusters_needed(const Room& room, std::span<const std::size_t> emptiest_first,
                            std::uint32_t processors) {
  std::uint64_t sum = 0;
  for (std::size_t count = 0; count < emptiest_first.size(); ++count) {
    sum += room.left(emptiest_first[count]);
    if (sum >= processors) return count + 1;
  }
  return 0;
}

}  // namespace

std::optional<Placement> cut_to_gaps(const ResourceNeed& need, std::span<const ClusterView> clusters) {
  const std::uint32_t processors = total_processors(need);
  // A request below its own least size is placed whole, as a component of that size.
  const std::uint32_t least = std::min(std::max(need.component_processors_min, 1U), processors);
  const Room room(clusters);
  const auto order = room.emptiest_first();
  const std::size_t count = clusters_needed(room, order, processors);
  if (count == 0 || (need.components_max != 0 && count > need.components_max)) return std::nullopt;
  if (room.left(order[count - 1]) < least || std::uint64_t{least} * count > processors) return std::nullopt;

  Placement placement;
  placement.reserve(count);
  std::uint32_t remaining = processors;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto kept_for_others = static_cast<std::uint32_t>(least * (count - 1 - i));
    const std::uint32_t size = std::min(room.left(order[i]), remaining - kept_for_others);
    placement.push_back({i, order[i], size});
    remaining -= size;
  }
  return placement;
}

std::optional<Placement> flexible_cluster_minimization(const ResourceNeed& need,
                                                       std::span<const ClusterView> clusters) {
  if (need.kind != RequestKind::flexible) return cluster_minimization(need, clusters);
  if (!need.splits.empty()) return place_splits(need, clusters, minimize_clusters);
  return cut_to_gaps(need, clusters);
}

}  // namespace dmm
