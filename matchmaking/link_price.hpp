// The price of a placement for a job that says how much its processors send to one another. It is the share of that
// bandwidth that the links between clusters would give the job beside the running jobs (Jones et al. 2004, section 3).
// Each cluster has one link to the others. Bandwidths are in megabits a second.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "matchmaking/link_allotment.hpp"
#include "matchmaking/placement/placement.hpp"

namespace dmm {

/// The links, by cluster, and the demand of running jobs on them.
struct LinkLoads {
  std::vector<double> capacities;  ///< above 0
  std::vector<JobDemand> running;
};

/// Processors of one job in one cluster, as an index of the clusters.
struct ClusterProcessors {
  std::size_t cluster = 0;
  std::uint32_t processors = 0;
};

/// The demand of a job on each link when each of its processors sends `per_processor` (equation 1); nothing if the job
/// is within one cluster.
JobDemand demand_of(std::span<const ClusterProcessors> pieces, double per_processor);
/// By cluster, each once.
std::vector<ClusterProcessors> pieces_of(const Placement& placement);
/// The share of its demand that the job would get on all of its links, in (0, 1].
double share_of(const Placement& placement, double per_processor, const LinkLoads& loads);
/// The placement that gets the greatest share: `chosen`, unless another policy makes one with a greater share.
Placement least_slowed(const ResourceNeed& need, std::span<const ClusterView> clusters, Placement chosen,
                       double per_processor, const LinkLoads& loads);
/// For people: "it asks 66.6 Mbit/s of beta/c (carries 100.0, others ask 40.0), ... and gets 93 % of that".
std::string price_text(const Placement& placement, std::span<const ClusterView> clusters, double per_processor,
                       const LinkLoads& loads);

}  // namespace dmm
