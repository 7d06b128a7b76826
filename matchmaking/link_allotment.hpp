// The division of the links between clusters among jobs: the five-step algorithm of Jones et al. 2004, section 3.5. A
// pure function from the jobs' needs to the share of its need that each gets; nothing is remembered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dmm {

/// The need of one job on one link, in megabits a second.
struct LinkDemand {
  std::uint32_t link = 0;
  double megabits = 0;
};
/// The need of one job on each link that it spans; no link twice.
using JobDemand = std::vector<LinkDemand>;

/// The need of all these jobs on each of `links` links, in megabits a second.
std::vector<double> total_demand(std::size_t links, std::span<const JobDemand> jobs);

/// The ratio of a link's bandwidth to the demand on it (Jones et al. 2004, equation 2; equation 3 if both leave out the
/// jobs that are constrained already). Below 1: saturated. Infinite without demand.
double saturation(double available, double demand);

/// The share of its need that each job gets, the same on all of its links, in (0, 1] (Jones et al. 2004, section 3.5;
/// the share is the slowdown factor of equation 4). The most saturated link holds its jobs to its ratio, on all of
/// their links. The bandwidth that they leave elsewhere is for the free jobs. This repeats until the free jobs saturate
/// no link.
///
/// In step 3 the paper prints the ratio of equation 2. Only the ratio of equation 3, by which the link was chosen,
/// fills the link exactly, so it must be meant. `capacities`: of each link, in megabits a second, above 0.
std::vector<double> allot(std::span<const double> capacities, std::span<const JobDemand> jobs);

}  // namespace dmm
