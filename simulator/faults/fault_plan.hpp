// Plans what goes wrong in a random run, and when.
#pragma once

#include "simulator/faults/dice.hpp"
#include "simulator/faults/random_run.hpp"

namespace dmm {

/// Adds faults of the run's kind to its acts, and probabilities to its network.
void plan_faults(RandomRun& run, Dice& dice);

/// Adds acts of operators and properties of hosts. Drawn last, so that older seeds keep their grid, jobs and faults.
void plan_operators(RandomRun& run, Dice& dice);

/// Lets managers prove keys, and adds events of keys. Drawn with separate dice, so the rest of the run is unchanged.
void plan_keys(RandomRun& run);

}  // namespace dmm
