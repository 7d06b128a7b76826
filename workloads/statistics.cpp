#include "workloads/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dmm {

double student_t(std::size_t degrees) {
  static constexpr std::array<double, 30> exact{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                                2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                                2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                                2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees == 0) return INFINITY;
  if (degrees <= exact.size()) return exact[degrees - 1];
  // The first terms of the expansion in 1 / degrees; correct to four digits from here on.
  constexpr double normal = 1.959964;
  constexpr double first = (normal * normal * normal + normal) / 4;
  constexpr double second =
      (5 * normal * normal * normal * normal * normal + 16 * normal * normal * normal + 3 * normal) / 96;
  const auto count = static_cast<double>(degrees);
  return normal + first / count + second / (count * count);
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

Estimate estimate_of(std::span<const double> samples) {
  Estimate estimate;
  estimate.samples = samples.size();
  if (samples.empty()) return estimate;
  const auto count = static_cast<double>(samples.size());
  for (const double sample : samples) estimate.mean += sample / count;
  if (samples.size() < 2) return estimate;
  double squares = 0;
  for (const double sample : samples) squares += (sample - estimate.mean) * (sample - estimate.mean);
  estimate.half_width = student_t(samples.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return estimate;
}

}  // namespace dmm
