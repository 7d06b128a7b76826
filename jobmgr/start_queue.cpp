// Slots of Starts; see start_queue.hpp.
#include "jobmgr/start_queue.hpp"

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// For so long a Start that isn't answered keeps others waiting.
constexpr Duration slot_held = seconds(2);

}  // namespace

std::optional<StartQueue::Entry> StartQueue::take(std::uint32_t limit) {
  DMM_ASSERT(under_way_ <= held_.size());
  if (queued_.empty() || under_way_ >= limit) return std::nullopt;
  const Entry next = queued_.front();
  queued_.pop_front();
  return next;
}

void StartQueue::queue_aside() { queued_.splice(queued_.begin(), aside_); }

void StartQueue::sent(Instant now, ComponentRun& component_run, ComponentKey key) {
  DMM_ASSERT(!component_run.counted);
  component_run.counted = true;
  ++under_way_;
  DMM_ASSERT(held_.empty() || held_.back().first <= now + slot_held);  // the first is over first
  held_.emplace_back(now + slot_held, key);
  DMM_ASSERT(under_way_ <= held_.size());  // each gives its slot back at the latest when its time is over
}

void StartQueue::answered(ComponentRun& component_run) {
  if (!std::exchange(component_run.counted, false)) return;
  DMM_ASSERT(under_way_ > 0);
  --under_way_;
  DMM_ASSERT(under_way_ <= held_.size());
}

std::optional<ComponentKey> StartQueue::take_held(Instant now) {
  if (held_.empty() || held_.front().first > now) return std::nullopt;
  const auto [until, key] = held_.front();
  held_.pop_front();
  DMM_ASSERT(held_.empty() || until <= held_.front().first);
  return key;
}

}  // namespace dmm
