// The parts of a resource manager, and one step over them. Each part owns its state; what happens over several parts
// is in files of free functions beside this one, by subject (docs/architecture.md section 3.2 has the tables).
#pragma once

#include <string>
#include <vector>

#include "manager/dispatch.hpp"
#include "resmgr/absent_fences.hpp"
#include "resmgr/assignments.hpp"
#include "resmgr/black_holes.hpp"
#include "resmgr/clean_waits.hpp"
#include "resmgr/idle_leases.hpp"
#include "resmgr/keep_alive.hpp"
#include "resmgr/node_numbers.hpp"
#include "resmgr/output_reads.hpp"
#include "resmgr/presence.hpp"
#include "resmgr/records.hpp"
#include "resmgr/registration.hpp"
#include "resmgr/settings.hpp"
#include "resmgr/slots.hpp"
#include "resmgr/task_table.hpp"
#include "resmgr/view.hpp"

namespace dmm {

/// What people are told of a task that was lost with its keeper.
constexpr std::string_view keeper_died_text = "the keeper died, and with it all jobs of its resource manager";

struct ResourceManagerEffects : Effects {
  LedgerChanges<ResourceRecord> ledger;
  std::vector<TaskOrder> tasks;  ///< to be carried out in this order, before the messages are sent
};

struct ResourceParts {
  /// `keep`: tasks go on for so long without this manager; 0: for a term.
  ResourceParts(ResourceManagerSettings all_settings, Duration keep_for);

  ResourceManagerSettings settings;
  Party site;
  NodeNumbers numbers;
  Slots slots;
  AbsentFences fences;
  Presence presence;
  TaskTable tasks;
  Assignments leases;
  CleanWaits cleans;
  OutputReads reads;
  BlackHoles black_holes;
  IdleLeases idle;
  Registration registration;
  bool resume_due = false;  ///< after `restore`: what it found is still to be ordered
  bool stopping = false;
  KeepAlive keep_alive;
  Instant now{};
  TaskCounts counts;
  Ignored ignored;
};

/// One step of a resource manager: its parts, the moment, and where its effects go.
struct ResourceStep {
  ResourceParts& parts;
  Instant now;
  ResourceManagerEffects& effects;
};

}  // namespace dmm
