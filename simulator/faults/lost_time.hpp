// LostTime: how long each manager was frozen and its clock jumped, in all. A manager that lost enough has an excuse for
// overlaps of two attempts at a job.
#pragma once

#include <map>

#include "simulator/faults/random_grid.hpp"

namespace dmm {

class LostTime {
 public:
  /// Returns whether the manager of the act has an excuse.
  bool note(const Act& act, Instant now);

 private:
  std::map<Party, Instant> frozen_;        ///< frozen managers, and since when
  std::map<Party, Duration> out_of_time_;  ///< time frozen and jumped, in all
};

}  // namespace dmm
