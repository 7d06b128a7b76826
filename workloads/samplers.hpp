// Samples of the normal and the gamma law, drawn by exact methods with our own arithmetic, so that a seed gives
// the same bytes on every machine: the C++ standard fixes engines, but not distributions.
#pragma once

#include <cstdint>

#include "workloads/random.hpp"

namespace dmm {

/// A seed for the part with this number of something that has a seed: parts are independent of one another.
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t part);

/// A sample of the normal law with mean 0 and variance 1: Marsaglia's polar method, one of its pair.
double standard_normal(Random& random);

/// The gamma law with this shape and scale: mean shape x scale, variance shape x scale^2. Both are above 0.
class GammaLaw {
 public:
  GammaLaw(double shape, double scale);

  /// Marsaglia and Tsang (2000): about 1.05 normal samples a draw, whatever the shape.
  double sample(Random& random) const;

  double shape() const { return shape_; }
  double scale() const { return scale_; }
  /// In proportion to the density at x, at most 1: the density over that at its mode (shape at least 1).
  double relative_density(double x) const;
  /// Beyond this lies less than 1e-12 of the law.
  double upper_end() const;

 private:
  double shape_;
  double scale_;
  double d_;  ///< of the method, for shape + 1 where the shape is below 1
  double c_;
};

}  // namespace dmm
