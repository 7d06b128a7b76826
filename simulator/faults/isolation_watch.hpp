// IsolationWatch: an isolated resource manager must end its programs a term after it noticed the silence.
#pragma once

#include <map>
#include <string>

#include "simulator/faults/random_grid.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class IsolationWatch {
 public:
  /// To be called before the act is performed. Returns what is wrong; empty if nothing is.
  std::string note(const World& world, const Act& act);

 private:
  std::map<Party, Instant> isolated_;  ///< isolated resource managers, and since when
};

}  // namespace dmm
