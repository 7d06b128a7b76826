#include "matchmaking/link_demand.hpp"

namespace dmm {

double link_demand(std::uint32_t processors, std::uint32_t here, double per_processor) {
  if (processors < 2 || here >= processors) return 0;
  const double share_that_leaves = static_cast<double>(processors - here) / static_cast<double>(processors - 1);
  return share_that_leaves * per_processor * static_cast<double>(here);
}

double per_processor_bandwidth(double bisection, std::uint32_t processors) {
  const double n = processors;
  return bisection * 4 * (n - 1) / (n * n);
}

}  // namespace dmm
