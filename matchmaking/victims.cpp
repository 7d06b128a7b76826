// Each cluster is tried by itself, so that a request of one component takes leases of one cluster only. Leases of
// several clusters are taken only for a request of several components.
#include "matchmaking/victims.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>

namespace dmm {
namespace {

using Leases = std::vector<std::size_t>;

/// The steps that are spent at most on finding the cheapest choice in a cluster: some milliseconds.
constexpr std::uint64_t exact_steps_max = 2'000'000;
/// Up to this many leases, a request of several components has every set of them tried.
constexpr std::size_t tried_all_max = 10;
/// A search with backtracking may take milliseconds: at most this many leases are tested by it.
constexpr std::size_t spared_by_search_max = 20;

/// Processors that a choice of leases frees, by cluster.
std::vector<std::uint64_t> freed_by(std::span<const VictimView> leases, const Leases& taken,
                                    std::size_t clusters) {
  std::vector<std::uint64_t> freed(clusters, 0);
  for (const std::size_t lease : taken)
    for (std::size_t i = 0; i < clusters; ++i) freed[i] += leases[lease].freed[i];
  return freed;
}

std::vector<ClusterView> with_freed(std::span<const ClusterView> clusters,
                                    const std::vector<std::uint64_t>& freed) {
  std::vector<ClusterView> views(clusters.begin(), clusters.end());
  for (std::size_t i = 0; i < views.size(); ++i)
    views[i].idle_processors = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(views[i].total_processors, views[i].idle_processors + freed[i]));
  return views;
}

std::vector<ClusterView> with_freed(std::span<const ClusterView> clusters, std::span<const VictimView> leases,
                                    const Leases& taken) {
  return with_freed(clusters, freed_by(leases, taken, clusters.size()));
}

/// Spares leases that aren't needed, the costliest first, as long as the request still starts.
void spare(const ResourceNeed& need, std::span<const ClusterView> clusters, std::span<const VictimView> leases,
           PlacementPolicy place, Leases& taken) {
  Leases by_cost = taken;
  std::ranges::stable_sort(by_cost, std::greater<>(), [&](std::size_t lease) { return leases[lease].cost; });
  if (place == any_fit && by_cost.size() > spared_by_search_max) by_cost.resize(spared_by_search_max);
  std::vector<std::uint64_t> freed = freed_by(leases, taken, clusters.size());
  for (const std::size_t lease : by_cost) {
    const std::vector<std::uint64_t> before = freed;
    for (std::size_t i = 0; i < freed.size(); ++i) freed[i] -= leases[lease].freed[i];
    if (place(need, with_freed(clusters, freed)))
      std::erase(taken, lease);
    else
      freed = before;
  }
}

// ---- leases of one cluster -----------------------------------------------------------------------------------------

/// Leases that free equally many processors of a cluster, the cheapest first.
struct SameSize {
  std::uint64_t size = 0;
  Leases leases;
  std::size_t taken = 0;  ///< how many at the front are chosen
};

/// The largest first.
std::vector<SameSize> by_size(std::span<const VictimView> leases, std::size_t cluster) {
  std::map<std::uint64_t, Leases, std::greater<>> sizes;
  for (std::size_t lease = 0; lease < leases.size(); ++lease)
    if (leases[lease].freed[cluster] > 0) sizes[leases[lease].freed[cluster]].push_back(lease);
  std::vector<SameSize> all;
  for (auto& [size, same] : sizes) {
    std::ranges::stable_sort(same, {}, [&](std::size_t lease) { return leases[lease].cost; });
    all.push_back({size, std::move(same)});
  }
  return all;
}

/// The number of further idle processors of the cluster with which the request starts, all else being equal; nothing if
/// it is more than `most`. A binary search, since more processors never hurt.
std::optional<std::uint64_t> missing(const ResourceNeed& need, std::span<const ClusterView> clusters,
                                     std::size_t cluster, std::uint64_t most, PlacementPolicy place) {
  std::vector<ClusterView> views(clusters.begin(), clusters.end());
  ClusterView& view = views[cluster];
  const auto starts_with = [&](std::uint64_t more) {
    view.idle_processors = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(view.total_processors, clusters[cluster].idle_processors + more));
    return place(need, views).has_value();
  };
  if (!starts_with(most)) return std::nullopt;
  std::uint64_t few = 0;
  while (few < most) {
    const std::uint64_t half = (few + most) / 2;
    if (starts_with(half))
      most = half;
    else
      few = half + 1;
  }
  return most;
}

/// Takes the largest leases until they come to `wanted` processors, which must be possible: no choice has fewer leases.
/// Returns their number.
std::size_t take_largest(std::vector<SameSize>& sizes, std::uint64_t wanted) {
  std::size_t many = 0;
  std::uint64_t freed = 0;
  for (SameSize& same : sizes)
    for (same.taken = 0; same.taken < same.leases.size() && freed < wanted; ++many) {
      freed += same.size;
      ++same.taken;
    }
  return many;
}

/// The cheapest choice of `many` leases that come to `wanted` units or more, each of `unit` processors. Dynamic
/// programming over the leases, by number taken and units.
Leases cheapest(std::span<const VictimView> leases, const std::vector<SameSize>& sizes, std::uint64_t unit,
                std::size_t many, std::size_t wanted) {
  constexpr std::uint64_t none = UINT64_MAX;
  std::vector<std::pair<std::size_t, std::size_t>> candidates;  // a lease, its units
  for (const SameSize& same : sizes)
    for (const std::size_t lease : same.leases | std::views::take(many))
      candidates.emplace_back(lease, std::min<std::size_t>(same.size / unit, wanted));
  const std::size_t row = wanted + 1, table = row * (many + 1);
  std::vector<std::uint64_t> costs(table, none);  // by leases taken, then by units that they come to at least
  std::vector<bool> takes(candidates.size() * table);
  costs[0] = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t taken = many; taken > 0; --taken)
      for (std::size_t units = wanted + 1; units-- > 0;) {
        const std::uint64_t before = costs[(taken - 1) * row + units - std::min(units, candidates[i].second)];
        if (before == none) continue;
        const std::uint64_t cost = before + leases[candidates[i].first].cost;
        if (cost >= costs[taken * row + units]) continue;
        costs[taken * row + units] = cost;
        takes[i * table + taken * row + units] = true;
      }
  Leases chosen;
  std::size_t units = wanted;
  for (std::size_t i = candidates.size(); i-- > 0 && chosen.size() < many;) {
    if (!takes[i * table + (many - chosen.size()) * row + units]) continue;
    chosen.push_back(candidates[i].first);
    units -= std::min(units, candidates[i].second);
  }
  return chosen;
}

/// Swaps leases that are taken, the largest first, for the cheapest others that still free enough.
Leases cheaper(std::span<const VictimView> leases, std::vector<SameSize>& sizes, std::uint64_t wanted) {
  std::uint64_t freed = 0;
  for (const SameSize& same : sizes) freed += same.size * same.taken;
  const auto cost_of_next = [&](const SameSize& same) { return leases[same.leases[same.taken]].cost; };
  for (SameSize& same : sizes)
    while (same.taken > 0) {
      SameSize* best = nullptr;
      for (SameSize& other : sizes) {
        if (&other == &same || other.taken == other.leases.size()) continue;
        if (freed - same.size + other.size < wanted) break;  // all later ones are smaller still
        if (!best || cost_of_next(other) < cost_of_next(*best)) best = &other;
      }
      if (!best || cost_of_next(*best) >= leases[same.leases[same.taken - 1]].cost) break;
      --same.taken;
      ++best->taken;
      freed += best->size;
      freed -= same.size;
    }
  Leases chosen;
  for (const SameSize& same : sizes)
    chosen.insert(chosen.end(), same.leases.begin(),
                  same.leases.begin() + static_cast<std::ptrdiff_t>(same.taken));
  return chosen;
}

/// The fewest leases that let the request start in this cluster, the cheapest of equally few; nothing if even all
/// together don't.
std::optional<Leases> fewest_in(std::size_t cluster, const ResourceNeed& need,
                                std::span<const ClusterView> clusters, std::span<const VictimView> leases,
                                PlacementPolicy place) {
  std::vector<SameSize> sizes = by_size(leases, cluster);
  std::uint64_t all = 0, unit = 0;
  for (const SameSize& same : sizes) {
    all += same.size * same.leases.size();
    unit = std::gcd(unit, same.size);
  }
  const auto wanted = missing(need, clusters, cluster, all, place);
  if (!wanted) return std::nullopt;
  if (*wanted == 0) return Leases{};
  const std::size_t many = take_largest(sizes, *wanted);
  const std::uint64_t units = (*wanted + unit - 1) / unit;
  std::size_t candidates = 0;
  for (const SameSize& same : sizes) candidates += std::min(same.leases.size(), many);
  Leases taken = candidates * (many + 1) <= exact_steps_max / (units + 1)
                     ? cheapest(leases, sizes, unit, many, static_cast<std::size_t>(units))
                     : cheaper(leases, sizes, *wanted);
  if (!place(need, with_freed(clusters, leases, taken))) return std::nullopt;
  spare(need, clusters, leases, place, taken);  // leases may free nodes in other clusters, too
  return taken;
}

// ---- leases of all clusters ----------------------------------------------------------------------------------------

/// The largest leases until the request starts, then without those that weren't needed; nothing if even all together
/// don't let it start.
std::optional<Leases> few(const ResourceNeed& need, std::span<const ClusterView> clusters,
                          std::span<const VictimView> leases, PlacementPolicy place, Leases candidates) {
  const auto size = [&](std::size_t lease) {
    return std::accumulate(leases[lease].freed.begin(), leases[lease].freed.end(), std::uint64_t{0});
  };
  std::ranges::stable_sort(candidates, [&](std::size_t a, std::size_t b) {
    return size(a) != size(b) ? size(a) > size(b) : leases[a].cost < leases[b].cost;
  });
  const auto starts_with = [&](std::size_t many) {
    return place(need,
                 with_freed(clusters, leases,
                            Leases(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(many))))
        .has_value();
  };
  if (!starts_with(candidates.size())) return std::nullopt;
  std::size_t too_few = 0, many = candidates.size();
  while (too_few < many) {
    const std::size_t half = (too_few + many) / 2;
    if (starts_with(half))
      many = half;
    else
      too_few = half + 1;
  }
  Leases taken(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(many));
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
    const bool fewer = best && taken->size() != best->size()
                           ? taken->size() < best->size()
                           : best && cost_of(leases, *taken) < cost_of(leases, *best);
    if (!best || fewer) best = std::move(taken);
  };
  Leases all;
  for (std::size_t lease = 0; lease < leases.size(); ++lease)
    if (std::ranges::any_of(leases[lease].freed, [](std::uint32_t freed) { return freed > 0; }))
      all.push_back(lease);
  if (is_divided(need) && all.size() <= tried_all_max) {
    for (std::uint32_t set = 0; set < std::uint32_t{1} << all.size(); ++set) {
      Leases taken;
      for (std::size_t i = 0; i < all.size(); ++i)
        if ((set >> i) & 1) taken.push_back(all[i]);
      if (place(need, with_freed(clusters, leases, taken))) compare(std::move(taken));
    }
  } else {
    for (std::size_t i = 0; i < clusters.size(); ++i) compare(fewest_in(i, need, clusters, leases, place));
    if (!best) compare(few(need, clusters, leases, place, all));
  }
  if (!best) compare(few(need, clusters, leases, any_fit, std::move(all)));
  if (!best) return std::nullopt;
  const std::vector<ClusterView> then = with_freed(clusters, leases, *best);
  auto placement = place(need, then);
  if (!placement) placement = any_fit(need, then);
  return Victims{std::move(*best), std::move(*placement)};
}

}  // namespace dmm
