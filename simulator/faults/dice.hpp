// Random choices for drawing runs, from one seed.
#pragma once

#include <vector>

#include "protocol/time.hpp"
#include "workloads/random.hpp"

namespace dmm {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool chance(double probability) { return random_.chance(probability); }
  double uniform() { return random_.uniform(); }
  double exponential(double mean) { return random_.exponential(mean); }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  /// Both ends included.
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_.below(high - low + 1));
  }
  Instant within(double from, double to) { return Instant{} + from_seconds(from + (to - from) * uniform()); }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  Random random_;
};

}  // namespace dmm
