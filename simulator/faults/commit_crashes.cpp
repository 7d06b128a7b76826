#include "simulator/faults/commit_crashes.hpp"

#include <algorithm>

namespace dmm {

std::vector<Party> CommitCrashes::crash(World& world) {
  std::vector<Party> crashed;
  for (const auto& [party, away] : std::map<Party, Duration>(doomed_)) {
    if (!world.is_up(party) || !world.is_committing(party)) continue;
    doomed_.erase(party);
    back_at_[party] = world.now() + away;
    world.slow_disk(party, {});
    world.crash(party);
    crashed.push_back(party);
  }
  return crashed;
}

Instant CommitCrashes::next_back() const {
  Instant back = never;
  for (const auto& [party, at] : back_at_) back = std::min(back, at);
  return back;
}

void CommitCrashes::bring_back(World& world) {
  for (const auto& [party, at] : std::map<Party, Instant>(back_at_)) {
    if (world.now() < at) continue;
    back_at_.erase(party);
    if (!world.is_up(party)) world.restart(party);
  }
}

void CommitCrashes::clear() {
  doomed_.clear();
  back_at_.clear();
}

}  // namespace dmm
