// The moment for which a view is made, on both clocks: managers know only the monotonic one, people want dates.
#pragma once

#include <cstdint>

#include "protocol/time.hpp"

namespace dmm {

struct ViewTime {
  Instant now{};
  std::int64_t wall_microseconds = 0;  ///< since 1970
};

}  // namespace dmm
