// A grid in which several borrowers want all nodes of one owner for an hour: neighbours of other weights, with jobs of
// other widths and lengths, each with more work than the owner could do for it alone.
#pragma once

#include "simulator/faults/random_grid.hpp"

namespace dmm {

RandomRun draw_crowd(std::uint64_t seed);

}  // namespace dmm
