// What bandwidth a job needs on the links between clusters to run at full speed, if all its processors talk to all
// others equally. Bandwidths are in megabits a second.
#pragma once

#include <cstdint>

namespace dmm {

/// What a job of `processors` in all needs on the link of a cluster that holds `here` of them, when each sends
/// `per_processor`: Jones et al. 2004, equation 1. At least two processors in all.
double link_demand(std::uint32_t processors, std::uint32_t here, double per_processor);

/// What each processor sends in a job whose halves exchange `bisection` (PPBW from BSBW): Jones et al. 2004,
/// equation 7, which is equation 1 with half of the processors in the cluster, solved for PPBW.
double per_processor_bandwidth(double bisection, std::uint32_t processors);

}  // namespace dmm
