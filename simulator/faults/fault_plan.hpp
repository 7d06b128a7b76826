// What goes wrong in a random run, and when.
#pragma once

#include "simulator/faults/dice.hpp"
#include "simulator/faults/random_grid.hpp"

namespace dmm {

/// Adds troubles of the run's kind to its acts, and chances to its network.
void plan_faults(RandomRun& run, Dice& dice);

/// Adds what operators do and what hosts are like. Drawn after all else, so that a seed that had grid, jobs and
/// faults has them still.
void plan_operators(RandomRun& run, Dice& dice);

/// Has managers prove keys, and adds what happens to keys. Drawn by dice of its own: the rest of the run is as
/// without.
void plan_keys(RandomRun& run);

}  // namespace dmm
