// Remembering and forgetting; see seen_list.hpp.
#include "sitemgr/seen_list.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

void SeenList::forget_old(Instant now, std::deque<Entry>& order) {
  while (!order.empty() && (now - order.front().at >= memory_ || order.size() > entries_max_)) {
    const bool was_seen = seen_.erase(*order.front().key);
    DMM_ASSERT(was_seen);
    order.pop_front();
  }
}

bool SeenList::is_new(Instant now, std::size_t neighbour, const PartKey& part, std::uint64_t stay,
                      std::uint32_t dttl, bool from_home) {
  DMM_ASSERT(neighbour < order_.size());
  for (auto& order : order_) forget_old(now, order);
  const Key key{part, stay};
  if (Seen* before = seen_.find(key)) {
    // Others may have named the home site's request before it did itself.
    const bool is_others = counts_dttl_ && from_home && before->neighbour != neighbour;
    const bool farther = is_others || (counts_dttl_ && dttl > before->dttl);
    before->dttl = std::max(before->dttl, dttl);
    if (is_others) before->neighbour = static_cast<std::uint32_t>(neighbour);
    return farther;
  }
  const Key& kept = seen_.put(key, {dttl, static_cast<std::uint32_t>(neighbour)});
  order_[neighbour].push_back({now, &kept});
  DMM_ASSERT(seen_.size() >= order_[neighbour].size());
  forget_old(now, order_[neighbour]);
  return true;
}

}  // namespace dmm
