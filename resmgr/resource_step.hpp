// The parts of a resource manager, and one step over them. Each part owns its state; what happens over several parts
// is in the files of free functions beside this one: leasing, running, contact, recovery, reconfiguring
// (docs/architecture.md has the tables).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "manager/dispatch.hpp"
#include "manager/lookup.hpp"
#include "resmgr/black_holes.hpp"
#include "resmgr/clean_waits.hpp"
#include "resmgr/idle_leases.hpp"
#include "resmgr/marks.hpp"
#include "resmgr/node_numbers.hpp"
#include "resmgr/presence.hpp"
#include "resmgr/records.hpp"
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

/// What this resource manager knows of a lease.
struct Assignment {
  SiteName holder;
  ShortText user;       ///< the only user that may start jobs under it; empty: any user of the holder
  NodeSet nodes;        ///< never empty
  Duration patience;    ///< what travels between the holder and here takes so long
  bool alone = false;   ///< all of it is here
  bool once = false;    ///< it ends with its one task; not known any more after a restart, then it is taken back
  bool closed = false;  ///< ended here for silence or idleness: no Start under it, until the site takes it back
};
struct ResourceParts {
  /// `keep`: tasks go on for so long without this manager; 0: for a term.
  ResourceParts(ResourceManagerSettings all_settings, Duration keep_for);

  using ReadKey = std::tuple<TaskId, Stream, std::uint64_t>;

  ResourceManagerSettings settings;
  Party site;
  NodeNumbers numbers;
  Slots slots;
  std::map<std::string, FenceRecord> gone_fences;  ///< of nodes that aren't configured now, by their rows' keys
  Presence presence;
  TaskTable tasks;
  Lookup<Epoch, Assignment> leases;
  CleanWaits cleans;
  std::map<ReadKey, bool> reads;       ///< ReadOutput orders that wait for their answer, and whether as a Piece
  BlackHoles black_holes;
  std::vector<RequestId> died_with_keeper;  ///< since the last settle
  IdleLeases idle;
  bool register_due = false;
  bool resume_due = false;             ///< after `restore`: what it found is still to be ordered
  bool stopping = false;
  Duration keep;                       ///< 0: a term
  Instant keep_due{};                  ///< when the next KeepTasks is due, if anything runs
  Instant now{};
  Duration site_round_trip;            ///< 0: not known
  std::map<std::uint32_t, Epoch> turned_away;  ///< by node: of leases older than what it has seen, the latest
  TaskCounts counts;
  Ignored ignored;

  Marks<Epoch> touched;                ///< leases with parked Starts that settle looks at again
  Marks<Epoch> perhaps_idle;           ///< leases that got or lost a job since the last settle, or began
  Marks<Epoch> changed_leases;         ///< since the last settle
  Marks<TaskId> changed_tasks;
  std::set<std::uint32_t> changed_fences;
  std::set<std::uint32_t> changed_numbers;
};

/// One step of a resource manager: its parts, the moment, and where its effects go.
struct ResourceStep {
  ResourceParts& parts;
  Instant now;
  ResourceManagerEffects& effects;
};

}  // namespace dmm
