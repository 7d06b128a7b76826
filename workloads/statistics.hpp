// The mean of a few repetitions with its confidence interval; medians. Pure arithmetic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dmm {

/// A mean with half the width of its 95 % confidence interval (Student's t). The half width is 0 for a single sample,
/// which says nothing about chance.
struct Estimate {
  double mean = 0;
  double half_width = 0;
  std::size_t samples = 0;
};

Estimate estimate_of(std::span<const double> samples);

/// The median; of an even number of samples the upper of the two in the middle; 0 if there are none.
double median(std::vector<double> samples);

/// The 97.5 % quantile of Student's t distribution with `degrees` degrees of freedom, at least 1.
double student_t(std::size_t degrees);

}  // namespace dmm
