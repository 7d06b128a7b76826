// Slurm, by its commands: sinfo and squeue with formats of our own, sbatch, scancel and scontrol. A pilot is a job
// in a partition of low priority: jobs of other partitions may preempt it.
#pragma once

#include "batchmgr/batch_system.hpp"

namespace dmm {

extern const BatchSystem slurm_system;

}  // namespace dmm
