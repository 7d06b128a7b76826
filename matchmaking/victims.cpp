// See victims.hpp. Each cluster is tried by itself, so that a request of one component empties no second one; only if
// it has several components and no one cluster will do are leases taken on all that a placement names.
#include "matchmaking/victims.hpp"

#include <algorithm>
#include <numeric>

namespace dmm {
namespace {

using Leases = std::vector<std::size_t>;

std::vector<ClusterView> with_freed(std::span<const ClusterView> clusters, std::span<const VictimView> leases,
                                    const Leases& taken) {
  std::vector<ClusterView> views(clusters.begin(), clusters.end());
  for (const std::size_t lease : taken)
    for (std::size_t i = 0; i < views.size(); ++i)
      views[i].idle_processors = std::min(views[i].total_processors, views[i].idle_processors + leases[lease].freed[i]);
  return views;
}

/// Leaves out what isn't needed, the costliest first, as long as the request still starts.
void spare(const ResourceNeed& need, std::span<const ClusterView> clusters, std::span<const VictimView> leases,
           PlacementPolicy place, Leases& taken) {
  Leases by_cost = taken;
  std::ranges::sort(by_cost, [&](std::size_t a, std::size_t b) { return leases[a].cost > leases[b].cost; });
  for (const std::size_t lease : by_cost) {
    Leases without = taken;
    std::erase(without, lease);
    if (place(need, with_freed(clusters, leases, without))) taken = std::move(without);
  }
}

/// The largest first until the request starts, then without what wasn't needed; nothing if all together don't do.
std::optional<Leases> fewest(const ResourceNeed& need, std::span<const ClusterView> clusters,
                             std::span<const VictimView> leases, PlacementPolicy place, Leases candidates) {
  const auto size = [&](std::size_t lease) {
    return std::accumulate(leases[lease].freed.begin(), leases[lease].freed.end(), std::uint64_t{0});
  };
  std::ranges::stable_sort(candidates, [&](std::size_t a, std::size_t b) {
    return size(a) != size(b) ? size(a) > size(b) : leases[a].cost < leases[b].cost;
  });
  // As many as it takes: found by halves, since more of them never hurt.
  const auto starts_with = [&](std::size_t many) {
    return place(need, with_freed(clusters, leases, Leases(candidates.begin(), candidates.begin() +
                                                           static_cast<std::ptrdiff_t>(many)))).has_value();
  };
  if (!starts_with(candidates.size())) return std::nullopt;
  std::size_t few = 0, many = candidates.size();
  while (few < many) {
    const std::size_t half = (few + many) / 2;
    if (starts_with(half))
      many = half;
    else
      few = half + 1;
  }
  Leases taken(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(many));
  // Of as many, the last may be any that does: the cheapest of them.
  if (!taken.empty())
    for (const std::size_t other : candidates) {
      if (std::ranges::find(taken, other) != taken.end() || leases[other].cost >= leases[taken.back()].cost) continue;
      Leases swapped = taken;
      swapped.back() = other;
      if (place(need, with_freed(clusters, leases, swapped))) taken = std::move(swapped);
    }
  spare(need, clusters, leases, place, taken);
  return taken;
}

std::uint64_t cost_of(std::span<const VictimView> leases, const Leases& taken) {
  std::uint64_t cost = 0;
  for (const std::size_t lease : taken) cost += leases[lease].cost;
  return cost;
}

}  // namespace

std::optional<Victims> choose_victims(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                      std::span<const VictimView> leases, PlacementPolicy place) {
  std::optional<Leases> best;
  const auto compare = [&](std::optional<Leases> taken) {
    if (!taken) return;
    const bool fewer = best && taken->size() != best->size() ? taken->size() < best->size()
                                                             : best && cost_of(leases, *taken) < cost_of(leases, *best);
    if (!best || fewer) best = std::move(taken);
  };
  Leases all;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    Leases candidates;
    for (std::size_t lease = 0; lease < leases.size(); ++lease)
      if (leases[lease].freed[i] > 0) candidates.push_back(lease);
    compare(fewest(need, clusters, leases, place, std::move(candidates)));
  }
  if (!best) {
    for (std::size_t lease = 0; lease < leases.size(); ++lease)
      if (std::ranges::any_of(leases[lease].freed, [](std::uint32_t freed) { return freed > 0; })) all.push_back(lease);
    compare(fewest(need, clusters, leases, place, std::move(all)));
  }
  if (!best) return std::nullopt;
  auto placement = place(need, with_freed(clusters, leases, *best));
  return Victims{std::move(*best), std::move(*placement)};
}

}  // namespace dmm
