#include "resmgr/keeper/remover.hpp"

#include <algorithm>
#include <csignal>

#include <sys/prctl.h>
#include <unistd.h>

namespace dmm::keeper {

void Remover::start(const JobFolder& folder) {
  again_ = process_ != 0;
  if (again_) return;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    folder.empty_removed();
    _exit(0);
  }
  process_ = std::max(process, 0);  // if there is none, the next remover removes it
}

void Remover::ended(const JobFolder& folder) {
  process_ = 0;
  if (again_) start(folder);
}

}  // namespace dmm::keeper
