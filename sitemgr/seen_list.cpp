// Remembering and forgetting; see seen_list.hpp.
#include "sitemgr/seen_list.hpp"

#include <algorithm>

namespace dmm {

void SeenList::forget_old(Instant now, std::deque<Entry>& order) {
  while (!order.empty() && (now - order.front().at >= memory_ || order.size() > entries_max_)) {
    seen_.erase(order.front().key);
    order.pop_front();
  }
}

bool SeenList::is_new(Instant now, std::size_t neighbour, const PartKey& key, std::uint32_t dttl) {
  for (auto& order : order_) forget_old(now, order);
  if (std::uint32_t* before = seen_.find(key)) {
    const bool farther = counts_dttl_ && dttl > *before;
    *before = std::max(*before, dttl);
    return farther;
  }
  seen_[key] = dttl;
  order_[neighbour].push_back({now, key});
  forget_old(now, order_[neighbour]);
  return true;
}

}  // namespace dmm
