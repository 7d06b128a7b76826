#include "simulator/idle_nodes/harvest.hpp"

#include "manager/assert.hpp"

namespace dmm {

void Harvest::submit(std::span<const Duration> tasks) {
  waiting_.insert(waiting_.end(), tasks.begin(), tasks.end());
}

void Harvest::lend(std::uint32_t node) {
  DMM_ASSERT(nodes_.at(node).attempt == 0);
  free_.insert(node);
}

void Harvest::return_node(Instant now, std::uint32_t node) {
  Node& taken = nodes_.at(node);
  const bool was_free = free_.erase(node) == 1;
  DMM_ASSERT(was_free == (taken.attempt == 0));
  if (was_free) return;
  ++preemptions_;
  lost_ += now - taken.started;
  waiting_.push_front(taken.task);
  ends_.erase({taken.started + taken.task, taken.attempt, node});
  taken.attempt = 0;
}

void Harvest::dispatch(Instant now) {
  while (!waiting_.empty() && !free_.empty()) {
    start(now, *free_.begin());
    free_.erase(free_.begin());
    waiting_.pop_front();
  }
}

void Harvest::start(Instant now, std::uint32_t node) {
  nodes_[node] = {.attempt = ++attempts_, .started = now, .task = waiting_.front()};
  ends_.insert({now + waiting_.front(), attempts_, node});
}

void Harvest::end_tasks(Instant now) {
  while (next_end() <= now) {
    const std::uint32_t node = ends_.begin()->node;
    ends_.erase(ends_.begin());
    nodes_[node].attempt = 0;
    free_.insert(node);
  }
}

std::optional<Instant> Harvest::started(std::uint32_t node) const {
  if (nodes_.at(node).attempt == 0) return std::nullopt;
  return nodes_[node].started;
}

}  // namespace dmm
