// A small seeded generator with a fixed algorithm, so that the same seed gives the same run on every machine
// (the C++ standard fixes engines, but not distributions).
#pragma once

#include <cstdint>

namespace dmm {

/// SplitMix64 (Steele, Lea and Flood 2014): every seed is as good as any other.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// 64 random bits.
  std::uint64_t next();
  /// Uniform in [0, bound); bound must not be 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double uniform();
  /// True with this probability.
  bool chance(double probability) { return uniform() < probability; }
  /// Exponentially distributed with this mean.
  double exponential(double mean);

 private:
  std::uint64_t state_;
};

}  // namespace dmm
