// The comparison of Jones et al. 2004 (mini_grid.hpp) with the real managers in virtual time, beside its model with
// the same jobs. Each cluster is a site with one user; all sites are siblings. Jobs may be divided in any way, as
// bfff does, and run longer by a fixed penalty in several clusters. The model knows the state of all clusters at each
// instant, and its clusters have no owners. The managers have to ask one another; here all sites serve all jobs
// alike.
#pragma once

#include <functional>
#include <vector>

#include "simulator/experiments/mini_grid.hpp"

namespace dmm {

struct ManagersRow {
  MiniGridRow managers, model;
  double owners_first_seconds = 0;  ///< turnaround where each site serves its own user first; 0: not run
};

/// Bounds and the curve of fixed penalties. Calls `done` with every row as it is ready.
std::vector<ManagersRow> mini_grid_managers(const MiniGridSettings& settings,
                                            const std::function<void(const ManagersRow&)>& done = {});

}  // namespace dmm
