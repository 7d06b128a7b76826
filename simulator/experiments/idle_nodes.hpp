// How much idle nodes help a grid: the time of 7,200 node-minutes of independent tasks on nodes that a cluster's
// local users leave idle, by local load and length of the tasks. Table 1 and figure 3 of Netto et al., "Transparent
// resource allocation to exploit idle cluster nodes in computational grids", section 4. It returns rows of figures;
// the caller draws them.
//
// Not stated by the paper, and so declared here: the four local workloads, which are its own cluster's and not
// public. Ours come in as streams, and each row gives the realised load while the bag ran. Nor does the paper say
// whether a figure is one measurement or a mean; ours are means over several bags. Where the length doesn't divide
// 7,200 minutes, one shorter task has the rest, so that the work is the same. The paper's 685 minutes at 90 % are
// below the 720 that ten always idle nodes need, so its realised load was lower than that.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "protocol/time.hpp"
#include "simulator/idle_nodes/lent_cluster.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

struct IdleNodesSettings {
  std::uint32_t nodes = 100;
  std::uint32_t work_minutes = 7200;  ///< node-minutes of the bag
  std::vector<double> loads = {0.3, 0.5, 0.7, 0.9};
  std::uint32_t least_minutes = 5;  ///< of a task; in steps of 1 minute up to most_minutes
  std::uint32_t most_minutes = 34;
  std::uint32_t repetitions = 20;        ///< bags for each row, each with local jobs of its own
  Duration submit = seconds(7 * 86400);  ///< arrival of the bag, when the cluster is no longer empty
  Duration submit_step = seconds(8280);  ///< later with each repetition: covers all hours of the day
  NodeChoice choice = NodeChoice::numbered;
};

/// The local jobs for a load and a repetition (from 0). They should last until the bag is done.
using LocalJobs = std::function<JobStream(double load, std::uint32_t repetition)>;

struct IdleNodesRow {
  double load = 0;  ///< of the local users, nominal; 0: dedicated nodes
  std::uint32_t nodes = 0;
  std::uint32_t task_minutes = 0;
  double turnaround_minutes = 0;  ///< mean over the repetitions
  double median_minutes = 0;      ///< of the repetitions: a few bags meet a cluster that is full for days
  double least_minutes = 0;       ///< of the repetitions
  double most_minutes = 0;        ///< of the repetitions
  double local_utilisation = 0;   ///< during the bag, mean
  double preemptions = 0;         ///< mean
  double lost_share = 0;          ///< share of the tasks' node time that was spent on aborted attempts
  double paper_minutes = 0;       ///< table 1; 0: not in it
};

/// The tasks of a bag: as many of this length as fit into the work, and one for the rest.
std::vector<Duration> bag_of(std::uint32_t work_minutes, std::uint32_t task_minutes);

/// Table 1 of the paper, in minutes; 0 where it has no row. A load of 0 means dedicated nodes.
double idle_nodes_paper(double load, std::uint32_t nodes, std::uint32_t task_minutes);

/// One row: means over the repetitions.
IdleNodesRow idle_nodes_row(const IdleNodesSettings& settings, const LocalJobs& local, double load,
                            std::uint32_t task_minutes);

/// Dedicated nodes: one, and 20; then every load with every length. Calls `done` with every row as it is ready.
std::vector<IdleNodesRow> idle_nodes(const IdleNodesSettings& settings, const LocalJobs& local,
                                     const std::function<void(const IdleNodesRow&)>& done = {});

/// The jobs of a log as local jobs on `nodes`. One factor scales the times between submissions so that the whole log
/// would give the wanted load; run times stay. Each repetition starts `between_repetitions` later in the log than the
/// one before, and ends with the log, which must be long enough. `log` must be in order of submit time, with at least
/// two jobs, none too wide.
LocalJobs scaled_local_jobs(std::vector<StreamJob> log, std::uint32_t nodes, Duration between_repetitions);

/// Local jobs from the Lublin-Feitelson model (all types) on `nodes`, with a realised load over 28 days within a
/// tenth of the wanted one. Each repetition has a seed of its own, the same for all loads.
LocalJobs lublin_local_jobs(std::uint32_t nodes, std::uint64_t seed);

}  // namespace dmm
