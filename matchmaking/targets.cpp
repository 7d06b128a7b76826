// What the target site ordering policies share.
#include "matchmaking/targets.hpp"

#include <algorithm>

namespace dmm {

std::uint32_t lendable_at(const TargetView& target, std::size_t distance) {
  const std::uint32_t lendable = target.hint[distance].lendable;
  // The neighbour may have passed on what was asked of it, but to which site is unknown: only its own entry is debited.
  const std::uint32_t debit = distance == 0 ? target.debit : 0;
  return lendable > debit ? lendable - debit : 0;
}

bool may_fit(const TargetQuery& query, const TargetView& target) {
  if (!target.known) return true;
  const std::size_t reach = std::min<std::size_t>(query.dttl, target.hint.size());
  for (std::size_t distance = 0; distance < reach; ++distance) {
    const HintEntry& entry = target.hint[distance];
    if (entry.complete && entry.largest < query.widest) continue;
    if (std::uint64_t{lendable_at(target, distance)} * 8 >= std::uint64_t{query.widest} * 7) return true;
  }
  return false;
}

std::uint32_t largest_beyond(std::span<const HintEntry> hint) {
  std::uint32_t largest = 0;
  for (const auto& entry : hint) largest = std::max(largest, entry.largest);
  return largest;
}

}  // namespace dmm
