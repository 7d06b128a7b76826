// How long nodes of a batch system are likely to stay free of local jobs, by how long they did so before. A node
// that a pilot holds is free of local jobs, too. A spell of freedom is likely to go on for as long as half of the
// past spells did that reached its age.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchmgr/snapshot.hpp"

namespace dmm {

class Idleness {
 public:
  /// Takes in a look at the batch system.
  void observe(Instant now, const Snapshot& snapshot);
  /// How much longer a node is likely to stay free of local jobs. Nothing: it isn't free, or too little is known.
  std::optional<Duration> likely(Instant now, const std::string& node) const;

 private:
  void end(Instant now, Instant since);

  std::map<std::string, Instant> free_since_;
  std::deque<Duration> spells_;   ///< the latest last
  std::vector<Duration> sorted_;  ///< the same
};

}  // namespace dmm
