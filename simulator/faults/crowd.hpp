// Draws a grid where several borrowers want all nodes of one owner for an hour. They are neighbours of different
// weights, with jobs of different widths and lengths. Each has more work than the owner could do for that borrower
// alone.
#pragma once

#include "simulator/faults/random_run.hpp"

namespace dmm {

RandomRun draw_crowd(std::uint64_t seed);

}  // namespace dmm
