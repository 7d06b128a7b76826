#include "simulator/results/wait_distribution.hpp"

#include <algorithm>

#include "simulator/results/numbers.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {

void WaitDistribution::add(double wait_seconds) {
  ++jobs_;
  std::size_t bin = 0;
  if (wait_seconds >= 1) bin = 1 + static_cast<std::size_t>(decimal_logarithm(wait_seconds) * bins_per_decade);
  ++counts_[std::min(bin, bins - 1)];
}

std::vector<ChartPoint> WaitDistribution::curve() const {
  std::vector<ChartPoint> points;
  std::uint64_t sum = 0;
  for (std::size_t bin = 0; bin < bins && jobs_ > 0 && sum < jobs_; ++bin) {
    sum += counts_[bin];
    const double at = portable::exp2(static_cast<double>(bin) / bins_per_decade * 3.3219280948873626);
    points.push_back({at, 100.0 * static_cast<double>(sum) / static_cast<double>(jobs_)});
  }
  return points;
}

}  // namespace dmm
