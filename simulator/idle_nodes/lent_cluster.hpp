// A cluster whose resource manager serves its local users first come, first served with conservative backfilling,
// and whose idle nodes run grid tasks meanwhile (Netto et al., "Transparent resource allocation to exploit idle
// cluster nodes in computational grids", section 4). The manager doesn't know of the tasks: they never delay a
// local job, and a node that a local job gets is given up at once.
//
// Not stated by the paper, and so our choice: which of the idle nodes a local job gets (NodeChoice); that a task
// that ends at the very instant at which its node is wanted has ended; that aborted tasks are the next to start
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "protocol/time.hpp"
#include "simulator/architectures/floor.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

/// Which idle nodes a local job gets.
enum class NodeChoice : std::uint8_t {
  numbered,    ///< those of the lowest numbers: the manager can't see tasks
  least_lost,  ///< those without a task, then those whose tasks started last: what a manager could do that sees
               ///< them
};

struct LentClusterRun {
  std::uint32_t nodes = 100;
  std::string_view architecture = "conservative";  ///< of the local resource manager, one of architectures()
  NodeChoice choice = NodeChoice::numbered;
  JobStream local = {};              ///< all homes are cluster 0; empty: no local users, the nodes are dedicated
  std::vector<Duration> tasks = {};  ///< the bag of grid tasks; empty: nothing is harvested
  Instant submit{};                  ///< when the bag arrives
  bool stops_with_the_bag = true;    ///< otherwise it goes on until the local jobs have ended, too
  std::function<void(const RunningJob&)> local_ended = {};
};

struct LentClusterOutcome {
  Duration turnaround{};  ///< from the arrival of the bag to the end of its last task
  std::uint64_t preemptions = 0;
  Duration lost{};               ///< node time of aborted tasks
  double local_utilisation = 0;  ///< share of node time used by local jobs while the bag was there
};

/// Every local job must fit on the cluster, and local jobs must leave nodes idle now and then.
LentClusterOutcome run_lent_cluster(LentClusterRun run);

}  // namespace dmm
