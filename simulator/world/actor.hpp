// One manager of a simulated world, with its host: clock, disk, ledger, programs, and where it stands in the topology.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "jobmgr/job_manager.hpp"
#include "resmgr/resource_manager.hpp"
#include "simulator/world/actor_driver.hpp"
#include "simulator/world/host_clock.hpp"
#include "simulator/world/memory_ledger.hpp"
#include "simulator/world/network.hpp"
#include "simulator/world/task_performer.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

/// A job that a job manager accepted.
struct Submission {
  Party job_manager;
  std::uint64_t number = 0;
  std::uint32_t dttl = 0;
  bool abandoned = false;  ///< its job manager died without a ledger
};

/// A process of a world, its host and its place in the topology.
struct Actor {
  // Members that every step reads come first and lie together.
  Party party;
  Principal principal;  ///< the same, as passed to managers
  bool touched = false;
  bool stirred = false;  ///< something for the manager itself came since it was settled last
  bool paused = false;
  bool frozen = false;  ///< paused, with its host
  bool reachable = true;
  std::uint32_t spins = 0;       ///< consecutive settles that asked to be called again at once
  Instant committed_at = never;  ///< end of the commit under way; takes and sends nothing before
  Duration commit_max;           ///< longest commit of its disk
  HostClock clock;
  std::vector<Submission> promised;   ///< users are told when the commit is done
  std::vector<FrameArrival> waiting;  ///< arrived while it was paused or committing
  TaskPerformer performer;            ///< of a resource manager
  ActorDriver driver;
  std::variant<std::monostate, LedgerOf<SiteManager>, LedgerOf<JobManager>, LedgerOf<ResourceManager>> ledger;
  std::vector<TaskReport> reports;  ///< from its host, while it was paused or committing
  std::uint64_t deadlines = 0;      ///< deadlines of its host that were logged
  std::size_t site = 0;             ///< in the topology
  std::vector<Address> dials;       ///< the addresses it connects to when it starts
  std::uint64_t incarnation = 0;
  std::uint64_t next_job = 1;
  std::size_t resource_manager = 0;  ///< position in resource_managers_of its site
  std::uint32_t nodes = 0;           ///< its present number; 0: as in the topology
  bool resized = false;              ///< the manager hasn't been told of `nodes` yet
};

/// Whether it takes and sends nothing at present.
inline bool stalls(const Actor& actor) { return actor.paused || actor.committed_at != never; }

}  // namespace dmm
