// Children of the keeper that belong to no job.
#pragma once

#include <sys/types.h>

#include "resmgr/keeper/disk.hpp"
#include "resmgr/keeper/remover.hpp"

namespace dmm::keeper {

struct Helpers {
  Remover remover;
  DiskWatch disk;

  bool contain(pid_t process) const { return process == remover.process() || process == disk.child(); }
  bool are_gone() const { return remover.process() == 0 && disk.child() == 0; }
};

}  // namespace dmm::keeper
