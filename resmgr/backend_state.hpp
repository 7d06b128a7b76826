// What people are told of the backend itself, beside the tasks that it runs.
#pragma once

#include <map>
#include <string>

#include "resmgr/tasks.hpp"

namespace dmm {

struct BackendState {
  std::int32_t keeper = 0;              ///< its process; 0 while there is none
  bool keeper_silent = false;           ///< it is there, and doesn't answer
  std::string isolation;                ///< what keeps tasks apart from one another: "namespaces, rlimits"
  std::string accounts;                 ///< under which accounts tasks run, in words
  bool users_apart = false;             ///< tasks of different sites under different ones
  std::map<TaskId, std::string> stuck;  ///< tasks that were killed and aren't gone, and why
};

}  // namespace dmm
