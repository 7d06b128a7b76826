// The bandwidth that a job needs on the links between clusters to run at full speed, if all its processors communicate
// equally with all others. Bandwidths are in megabits a second.
#pragma once

#include <cstdint>

namespace dmm {

/// The need of a job of `processors` in all on the link of a cluster that holds `here` of them, when each sends
/// `per_processor`: Jones et al. 2004, equation 1. At least two processors in all.
double link_demand(std::uint32_t processors, std::uint32_t here, double per_processor);

/// The bandwidth that each processor sends in a job with halves that exchange `bisection` (PPBW from BSBW): Jones et
/// al. 2004, equation 7. That is equation 1 with half of the processors in the cluster, solved for PPBW.
double per_processor_bandwidth(double bisection, std::uint32_t processors);

}  // namespace dmm
