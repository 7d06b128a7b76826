// The two rejection methods, and the gamma density for numerical integration.
#include "workloads/samplers.hpp"

#include <cmath>

#include "workloads/portable_math.hpp"

namespace dmm {

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t part) {
  // Two rounds, because seeds and part numbers are close to each other: after one, derived seeds could lie on one
  // short arc of the cycle.
  return Random(Random(seed).next() ^ Random(~part).next()).next();
}

double standard_normal(Random& random) {
  while (true) {
    const double x = 2 * random.uniform() - 1;
    const double y = 2 * random.uniform() - 1;
    const double square = x * x + y * y;
    if (square < 1 && square > 0) return x * std::sqrt(-2 * portable::log(square) / square);
  }
}

GammaLaw::GammaLaw(double shape, double scale)
    : shape_(shape), scale_(scale), d_((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c_(1 / std::sqrt(9 * d_)) {}

double GammaLaw::sample(Random& random) const {
  while (true) {
    const double x = standard_normal(random);
    const double root = 1 + c_ * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - random.uniform();  // never 0
    const double square = x * x;
    const bool is_accepted =
        u < 1 - 0.0331 * square * square || portable::log(u) < 0.5 * square + d_ * (1 - v + portable::log(v));
    if (!is_accepted) continue;
    if (shape_ >= 1) return d_ * v * scale_;
    return d_ * v * scale_ * portable::exp(portable::log(1 - random.uniform()) / shape_);
  }
}

double GammaLaw::relative_density(double x) const {
  const double power = shape_ - 1;
  if (x <= 0) return power == 0 && x == 0 ? 1 : 0;
  const double mode = power * scale_;
  if (mode == 0) return portable::exp(-x / scale_);
  return portable::exp(power * portable::log(x / mode) - (x - mode) / scale_);
}

double GammaLaw::upper_end() const { return shape_ * scale_ + 10 * std::sqrt(shape_) * scale_ + 35 * scale_; }

}  // namespace dmm
