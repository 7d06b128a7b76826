// The generator and the few distributions that simulations draw from.
#include "workloads/random.hpp"

#include "manager/assert.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  DMM_ASSERT(bound > 0);
  return next() % bound;  // the bias of the modulus is below 2^-32 for the bounds that we use
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Random::exponential(double mean) { return -mean * portable::log(1 - uniform()); }

}  // namespace dmm
