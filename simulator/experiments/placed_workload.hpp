// A workload of jobs with several components on clusters of separate owners: a submission site without nodes, and a
// site for each cluster, one hop away. The managers are the real ones, in virtual time (simulator/world/world.hpp).
// This is the testbed of the experiments with KOALA (Mohamed and Epema 2005; Sonmez et al. 2006).
//
// Each cluster has local users, too. Their jobs take one processor each and come at random, so that they use a
// given fraction of the cluster on average.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

struct PlacedCluster {
  std::string name;
  std::uint32_t processors = 0;  ///< each a node of its own
  double broken_share = 0;       ///< share of its nodes on which no program starts
  double failing_share = 0;  ///< share of the starts on other nodes that fail, as by an error of the batch system
};

struct PlacedJob {
  Duration submit;  ///< since the beginning; jobs stand in this order
  JobDescription job;
};

struct PlacedWorkload {
  std::vector<PlacedCluster> clusters;
  std::vector<PlacedJob> jobs;
  SiteSettings policies;          ///< of the submission site; name and neighbours are overwritten
  std::uint32_t users = 8;        ///< of the submission site; they take turns
  bool keeps_files = false;       ///< the clusters keep input files, so that files can go ahead of jobs
  std::uint32_t waiting_max = 0;  ///< while this many jobs wait, none is submitted; 0: no limit
  /// Bandwidth of the link to each cluster, in bytes a second; 0: unspecified (simulator/world/site_links.hpp).
  std::uint64_t link_bandwidth = 100'000'000 / 8;
  double background = 0;   ///< the fraction of each cluster that its local users use
  std::uint64_t seed = 1;  ///< of the local users' jobs and of what fails
};

/// The outcome of one job. Times are since the beginning.
struct PlacedJobOutcome {
  bool is_finished = false;
  Duration submitted;  ///< later than planned if too many jobs waited
  /// When its first attempt was expected to begin: placement plus file transfer time.
  std::optional<Duration> first_expected;
  /// The same for the last attempt, if its home site planned it before claiming nodes.
  std::optional<Duration> last_expected;
  Duration placed;  ///< when the last attempt was planned, or had all its nodes
  Duration began;   ///< when its program began
  Duration ended;
  std::uint32_t failures = 0;  ///< attempts failed by a host
  std::uint32_t clusters = 0;  ///< clusters of the last attempt
  std::string placement;       ///< explanation of the placement
};

struct PlacedOutcome {
  std::vector<PlacedJobOutcome> jobs;  ///< in their order
  double used = 0;                     ///< mean fraction of all processors that these jobs held
  double used_locally = 0;             ///< the same for local users' jobs
  Duration length;                     ///< until the last job ended
};

/// A claim of a paper about such a workload, and whether it holds here.
struct PlacedClaim {
  const char* text;
  bool holds = false;
};

/// Calls `progress` with the number of jobs that ended.
PlacedOutcome run_placed_workload(const PlacedWorkload& workload,
                                  const std::function<void(std::size_t)>& progress = {});

}  // namespace dmm
