// What is cut, and why; see connection_guard.hpp.
#include "runtime/connection_guard.hpp"

#include <algorithm>
#include <utility>

namespace dmm {

void ConnectionGuard::opened(Instant now, int descriptor) { open_[descriptor] = {now}; }

void ConnectionGuard::heard(Instant now, int descriptor) {
  const auto seen = open_.find(descriptor);
  if (seen != open_.end()) seen->second = {now};
}

/// On which a message without end may come, however slowly: nothing whole did while our memory grew by much. If any are
/// cut, the others are not judged by growth of before.
std::vector<int> ConnectionGuard::growing(Instant now, std::uint64_t resident) {
  std::vector<int> cut;
  for (auto& [descriptor, seen] : open_) {
    seen.least = std::min(seen.least, resident);
    if (now - seen.heard >= settings_.window && resident - seen.least > settings_.growth_bytes)
      cut.push_back(descriptor);
  }
  if (!cut.empty())
    for (auto& [descriptor, seen] : open_) seen.least = resident;
  return cut;
}

std::vector<int> ConnectionGuard::to_cut(Instant now, std::uint64_t resident,
                                        const std::function<bool(int)>& is_needed) {
  std::vector<int> cut = growing(now, resident);
  if (!cut.empty()) return cut;
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
