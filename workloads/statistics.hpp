// The mean of a few repetitions and how far it may be off by chance; medians. Pure arithmetic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dmm {

/// A mean with half the width of its 95 % confidence interval (Student's t); 0 where there is one sample only,
/// which tells nothing of chance.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  std::size_t samples = 0;
};

Estimate estimate_of(std::span<const double> samples);

/// The middle one, of an even number the upper of the middle two; 0 if there are none.
double median(std::vector<double> samples);

/// The 97.5 % quantile of Student's t distribution with so many degrees of freedom, at least 1.
double student_t(std::size_t degrees);

}  // namespace dmm
