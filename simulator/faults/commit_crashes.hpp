// CommitCrashes: managers that are to crash in the midst of their next commit, and come back a while later.
#pragma once

#include <map>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

class CommitCrashes {
 public:
  /// The manager crashes in its next commit, for this long.
  void doom(const Party& party, Duration away) { doomed_[party] = away; }
  bool has_doomed() const { return !doomed_.empty(); }
  /// Crashes those of them that are committing; returns them.
  std::vector<Party> crash(World& world);
  /// When the next crashed manager comes back.
  Instant next_back() const;
  /// Starts the managers that are to be back by now.
  void bring_back(World& world);
  /// No manager crashes or comes back by this any more.
  void clear();

 private:
  std::map<Party, Duration> doomed_;  ///< managers that crash in their next commit, and for how long
  std::map<Party, Instant> back_at_;  ///< when crashed managers are started again
};

}  // namespace dmm
