// What a person, or a program of a person, may ask a manager to do.
#pragma once

#include <cstdint>

namespace dmm {

/// Each right includes those before it.
enum class Right : std::uint8_t {
  none,
  reader,         ///< looks at a site's or a resource manager's state
  user,           ///< submits jobs, sees them and cancels them
  administrator,  ///< gives the owner's orders: drain, reclaim, forget, stop
};

}  // namespace dmm
