// Distribution of the jobs' waits in bounded memory: counts by the logarithm of the wait, twenty bins to a power of
// ten. A wait below a second counts as none.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/results/line_chart.hpp"

namespace dmm {

class WaitDistribution {
 public:
  void add(double wait_seconds);
  std::uint64_t jobs() const { return jobs_; }
  /// The curve: a wait in seconds, and the percentage of jobs that waited at most that long. Flat ends are left out.
  std::vector<ChartPoint> curve() const;

 private:
  static constexpr int bins_per_decade = 20;
  static constexpr std::size_t bins = 1 + 9 * bins_per_decade;  ///< none, 1 s .. 10^9 s

  std::array<std::uint64_t, bins> counts_{};
  std::uint64_t jobs_ = 0;
};

}  // namespace dmm
