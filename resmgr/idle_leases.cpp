// How long leases have been without a job; see idle_leases.hpp.
#include "resmgr/idle_leases.hpp"

#include "manager/assert.hpp"

namespace dmm {

void IdleLeases::idle(Instant now, Epoch lease, Duration longest) {
  const auto [entry, is_new] = end_of_.try_emplace(lease, now + longest);
  if (is_new) ends_.emplace(entry->second, lease);
  DMM_ASSERT(ends_.size() == end_of_.size());
}

void IdleLeases::busy(Epoch lease) {
  const auto entry = end_of_.find(lease);
  if (entry == end_of_.end()) return;
  const bool was_there = ends_.erase({entry->second, lease}) == 1;
  DMM_ASSERT(was_there);
  end_of_.erase(entry);
  DMM_ASSERT(ends_.size() == end_of_.size());
}

std::vector<Epoch> IdleLeases::take(Instant now) {
  std::vector<Epoch> taken;
  while (next() <= now) {
    DMM_ASSERT(end_of_.contains(ends_.begin()->second));
    taken.push_back(ends_.begin()->second);
    busy(taken.back());
  }
  return taken;
}

}  // namespace dmm
