// Samples of the normal and the gamma law by exact methods with our own arithmetic, so that a seed gives the same
// bytes on every machine. The C++ standard fixes engines, but not distributions.
#pragma once

#include <cstdint>

#include "workloads/random.hpp"

namespace dmm {

/// A seed for one of the numbered parts of an object with a seed. The seeds of parts are independent.
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t part);

/// A sample of the normal law with mean 0 and variance 1, by Marsaglia's polar method; the second of its pair is
/// unused.
double standard_normal(Random& random);

/// The gamma law with this shape and scale: mean shape x scale, variance shape x scale^2. Both are above 0.
class GammaLaw {
 public:
  GammaLaw(double shape, double scale);

  /// Marsaglia and Tsang (2000): about 1.05 normal samples a draw, whatever the shape.
  double sample(Random& random) const;

  double shape() const { return shape_; }
  double scale() const { return scale_; }
  /// The density at x divided by the density at the mode, so at most 1. The shape must be at least 1.
  double relative_density(double x) const;
  /// An x such that larger values have a probability below 1e-12.
  double upper_end() const;

 private:
  double shape_;
  double scale_;
  double d_;  ///< of the method, for shape + 1 where the shape is below 1
  double c_;
};

}  // namespace dmm
