// The clocks of the real world. Managers use the monotonic one, which no administrator can set back. The wall clock
// only stamps log lines and numbers a daemon's starts.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/time.hpp"

namespace dmm {

/// Now, on CLOCK_MONOTONIC.
Instant monotonic_now();

/// Microseconds since 1970 UTC; may jump.
std::int64_t wall_microseconds();

/// The same in seconds.
inline std::int64_t wall_seconds() { return wall_microseconds() / 1'000'000; }

/// Microseconds since 1970 as text: "2026-01-31T12:00:00.000001Z". Years 1970 to 9999.
std::string utc_text(std::int64_t wall_microseconds);

/// The name of this start of the host; "unknown" if the system doesn't say.
std::string boot_name();

}  // namespace dmm
