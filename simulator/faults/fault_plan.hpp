// What goes wrong in a random run, and when.
#pragma once

#include "simulator/faults/dice.hpp"
#include "simulator/faults/random_grid.hpp"

namespace dmm {

/// Adds troubles of the run's kind to its acts, and chances to its network.
void plan_faults(RandomRun& run, Dice& dice);

}  // namespace dmm
