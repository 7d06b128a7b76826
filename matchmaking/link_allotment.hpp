// Who gets how much of the links between clusters: the five-step algorithm of Jones et al. 2004, section 3.5. A
// pure function from what jobs need to what share of it each gets; nothing is remembered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dmm {

/// What one job needs on one link, in megabits a second.
struct LinkDemand {
  std::uint32_t link = 0;
  double megabits = 0;
};
/// What one job needs on each link that it spans; no link twice.
using JobDemand = std::vector<LinkDemand>;

/// What all these jobs need on each of so many links, in megabits a second.
std::vector<double> total_demand(std::size_t links, std::span<const JobDemand> jobs);

/// What a link has beside what is asked of it (Jones et al. 2004, equation 2; equation 3 if both leave out the
/// jobs that are constrained already). Below 1: saturated. Infinite if nothing is asked.
double saturation(double available, double demand);

/// The share that each job gets of what it needs, on all of its links alike, in (0, 1] (Jones et al. 2004, section
/// 3.5; the share is the slowdown factor of equation 4). The most saturated link holds its jobs to its ratio, on
/// all of their links; what they leave elsewhere is for the rest; and so on until no link is saturated by those
/// still free. In step 3 the paper prints the ratio of equation 2; only that of equation 3, the one by which the
/// link was chosen, fills the link exactly, so that is what is meant. `capacities`: of each link, in megabits a
/// second, above 0.
std::vector<double> allot(std::span<const double> capacities, std::span<const JobDemand> jobs);

}  // namespace dmm
