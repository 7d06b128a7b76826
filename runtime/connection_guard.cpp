// What is cut, and why; see connection_guard.hpp.
#include "runtime/connection_guard.hpp"

#include <algorithm>
#include <utility>

namespace dmm {

void ConnectionGuard::opened(Instant now, int descriptor) { open_[descriptor] = {now}; }

void ConnectionGuard::heard(Instant now, int descriptor) {
  const auto seen = open_.find(descriptor);
  if (seen != open_.end()) seen->second.heard = now;
}

/// Whether our memory has grown by much since the window began.
bool ConnectionGuard::grows(Instant now, std::uint64_t resident) {
  std::erase_if(samples_, [&](const Sample& sample) { return now - sample.at > settings_.window * 2; });
  const bool grew = std::ranges::any_of(samples_, [&](const Sample& sample) {
    return resident > sample.resident + settings_.growth_bytes;
  });
  samples_.push_back({now, resident});
  return grew;
}

std::vector<int> ConnectionGuard::judge(Instant now, std::uint64_t resident,
                                        const std::function<bool(int)>& is_needed) {
  std::vector<int> cut;
  if (grows(now, resident)) {
    // Who has said nothing whole for a while may be the one; nobody else is touched.
    for (const auto& [descriptor, seen] : open_)
      if (now - seen.heard >= settings_.window) cut.push_back(descriptor);
    samples_.clear();
    return cut;
  }
  std::size_t above = open_.size() > settings_.connections_max ? open_.size() - settings_.connections_max : 0;
  if (above == 0 && now < idle_due_) return cut;
  idle_due_ = now + settings_.idle / 8;
  std::vector<std::pair<Instant, int>> idle;  // by when it was heard
  for (const auto& [descriptor, seen] : open_)
    if (!is_needed(descriptor)) idle.emplace_back(seen.heard, descriptor);
  std::ranges::sort(idle);
  for (const auto& [heard, descriptor] : idle) {
    if (above == 0 && now - heard < settings_.idle) break;
    cut.push_back(descriptor);
    above -= above > 0;
  }
  return cut;
}

}  // namespace dmm
