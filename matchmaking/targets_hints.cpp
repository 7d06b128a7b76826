// By hints: near before far, large before small, and requests spread over targets that are about equally good. This
// avoids the walk through sites that have nothing (the worst case of Iosup et al. 2007, figure 5).
//
// "Within a quarter" is no order: a may equal b, and b equal c, while a exceeds c. So targets are sorted by size and
// cut into runs. The largest opens a run, which takes in all targets with at least 3/4 of its size; the next target
// opens another run.
//
// A run is in the order of the configuration, rotated by the request's hash. Otherwise, all sites that send to the same
// neighbours at the same moment would choose the same one.
#include <algorithm>
#include <cstdint>

#include "matchmaking/targets.hpp"

namespace dmm {
namespace {

// A target's rank in one word, so that the sort needs no memory but the caller's vector. From the top bit: the
// distance, 5 bits, or one of the two marks; the size, inverted so that larger comes first, 32 bits; the index.
constexpr unsigned index_bits = 24;
constexpr unsigned distance_shift = index_bits + 32;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;
constexpr std::uint64_t not_known = 30;
constexpr std::uint64_t fits_nowhere = 31;
static_assert(sizeof(std::size_t) == sizeof(std::uint64_t) && dttl_max < not_known);

std::size_t packed(std::uint64_t distance, std::uint32_t size, std::size_t index) {
  const std::uint64_t smallness = UINT32_MAX - size;
  return (distance << distance_shift) | (smallness << index_bits) | (index & index_mask);
}
std::size_t distance_of(std::size_t rank) { return rank >> distance_shift; }
std::size_t index_of(std::size_t rank) { return rank & index_mask; }
std::uint64_t size_of(std::size_t rank) {
  return UINT32_MAX - static_cast<std::uint32_t>((rank >> index_bits) & UINT32_MAX);
}

std::size_t rank(const TargetQuery& query, const TargetView& target, std::size_t index) {
  if (!target.known) return packed(not_known, 0, index);
  const std::size_t reach = std::min<std::size_t>({query.dttl, target.hint.size(), dttl_max});
  for (std::size_t distance = 0; distance < reach; ++distance) {
    const std::uint32_t lendable = lendable_at(target, distance);
    if (lendable >= query.widest) return packed(distance, lendable, index);
  }
  return packed(fits_nowhere, 0, index);
}

}  // namespace

void targets_hints(const TargetQuery& query, std::span<const TargetView> targets,
                   std::vector<std::size_t>& order) {
  order.clear();
  for (std::size_t i = 0; i < targets.size(); ++i) order.push_back(rank(query, targets[i], i));
  std::sort(order.begin(), order.end());
  for (auto run = order.begin(); run != order.end() && distance_of(*run) < not_known;) {
    const std::size_t leader = *run;
    const auto end = std::find_if(run, order.end(), [leader](std::size_t other) {
      return distance_of(other) != distance_of(leader) || size_of(other) * 4 < size_of(leader) * 3;
    });
    std::sort(run, end, [](std::size_t a, std::size_t b) { return index_of(a) < index_of(b); });
    const auto length = static_cast<std::uint64_t>(end - run);
    std::rotate(run, run + static_cast<std::ptrdiff_t>(query.rotation % length), end);
    run = end;
  }
  for (auto& entry : order) entry = index_of(entry);
}

}  // namespace dmm
