// What the `process` backend of a resource manager is told when it is opened.
#pragma once

#include <cstdint>
#include <string>

#include "resmgr/settings.hpp"

namespace dmm {

struct ProcessBackendSettings {
  std::string directory = {};   ///< the state folder; made if missing; used by one resource manager at a time
  Duration keep = seconds(30);  ///< how long tasks go on without the manager, until KeepTasks says otherwise
  std::string keeper_executable = {};  ///< path; empty for `keeper` beside the running program
  Duration lock_wait = seconds(10);    ///< how long open() waits for an earlier keeper in the same folder
  bool outlive = false;  ///< tasks go on without the manager, until the deadline of its last KeepTasks
  JobRules jobs = {};
  std::uint64_t node_memory_bytes = 0;  ///< that a task may use of each node, where a cgroup enforces it
  std::uint32_t node_processors = 0;    ///< likewise; 0: any
  SiteName site = {};                   ///< the owner of the nodes
  std::string address = {};             ///< where tasks of a job reach one another: a name or address of this host
  Duration beat = seconds(1);           ///< the keeper is silent when it leaves three unanswered
};

}  // namespace dmm
