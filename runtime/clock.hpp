// The clocks of the real world. Machines live by the monotonic one, which no administrator can set back; the wall clock
// only stamps log lines and numbers a daemon's starts.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "protocol/time.hpp"

namespace dmm {

/// Now, on CLOCK_MONOTONIC.
Instant monotonic_now();

/// Microseconds since 1970 UTC; may jump.
std::int64_t wall_microseconds();

/// The same as text: "2026-01-31T12:00:00.000001Z". Years 1970 to 9999.
std::string utc_text(std::int64_t wall_microseconds);

/// The number of this start of a daemon: milliseconds since 1970. It is greater at each start as long as the wall clock
/// is not set back by more than the daemon was up; a daemon with a directory of its own uses `next_incarnation`.
std::uint64_t incarnation_now();

/// As incarnation_now, and greater than all numbers that were kept in this file before; keeps it there. The text of an
/// error if the file can't be written.
std::variant<std::uint64_t, std::string> next_incarnation(const std::string& file);

}  // namespace dmm
