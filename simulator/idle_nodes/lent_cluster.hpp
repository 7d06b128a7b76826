// A cluster that runs grid tasks on its idle nodes. Its resource manager serves local users first come, first served
// with conservative backfilling (Netto et al., "Transparent resource allocation to exploit idle cluster nodes in
// computational grids", section 4). The resource manager doesn't know of the tasks: they never delay a local job, and
// give up a node at once when a local job gets it.
//
// Not stated by the paper, and so our choice: which of the idle nodes a local job gets (NodeChoice). A task that ends
// at the very instant at which its node is wanted counts as ended. Aborted tasks are the first to start again.
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
  numbered,  ///< lowest numbers first: the manager can't see tasks
  /// First nodes without a task, then those with the latest start of their task, as if the manager saw the tasks.
  least_lost,
};

struct LentClusterRun {
  std::uint32_t nodes = 100;
  std::string_view architecture = "conservative";  ///< of the local resource manager, one of architectures()
  NodeChoice choice = NodeChoice::numbered;
  JobStream local = {};              ///< all homes are cluster 0; empty: no local users, the nodes are dedicated
  std::vector<Duration> tasks = {};  ///< the bag of grid tasks; empty: nothing is harvested
  Instant submit{};                  ///< when the bag arrives
  bool stops_with_the_bag = true;    ///< otherwise the run goes on until the local jobs have ended, too
  std::function<void(const RunningJob&)> local_ended = {};
};

struct LentClusterOutcome {
  Duration turnaround{};  ///< from the arrival of the bag to the end of its last task
  std::uint64_t preemptions = 0;
  Duration lost{};               ///< node time of aborted tasks
  double local_utilisation = 0;  ///< share of node time used by local jobs during the bag
};

/// Every local job must fit on the cluster, and local jobs must leave nodes idle now and then.
LentClusterOutcome run_lent_cluster(LentClusterRun run);

}  // namespace dmm
