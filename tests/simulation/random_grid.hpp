// Everything about a random run that is drawn before it begins, all of it from one seed: the grid, how its sites
// behave, what its users want, and what goes wrong when.
#pragma once

#include <string>
#include <vector>

#include "workloads/random.hpp"
#include "simulator/world.hpp"

namespace dmm {

/// Something that is done to the world at an instant.
struct Act {
  enum class Kind : std::uint8_t { submit, cancel, cut, heal, crash, restart, pause, resume, unreachable };
  Instant at{};
  Kind kind = Kind::submit;
  Party a, b;
  JobDescription job;
  std::uint64_t number = 0;  ///< cancel: the job's
};

struct RandomRun {
  Topology topology;
  WorldSettings settings;
  std::vector<Act> acts;  ///< in order of time; none after `trouble_ends`
  double loss = 0, doubling = 0;
};

/// When the last of the acts is over and everything is whole again.
constexpr Instant trouble_ends{100'000'000};

struct RandomOptions {
  bool faults = true;
  std::uint32_t sites_max = 12;
};

RandomRun draw(std::uint64_t seed, const RandomOptions& options = {});

}  // namespace dmm
