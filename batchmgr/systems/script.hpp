// Any batch system that a site has four small programs for: look, hold, recall and withdraw, in one folder. What
// they are called with and what they print is in docs/slurm.md, section "Another batch system".
#pragma once

#include "batchmgr/batch_system.hpp"

namespace dmm {

extern const BatchSystem script_system;

}  // namespace dmm
