// What tells one start of a daemon from its other starts. A number is greater at each start. A name is the same at each
// start of one daemon, and differs from that of any other process of the daemon's name.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/or_fault.hpp"

namespace dmm {

/// The number of this start of a daemon: milliseconds since 1970. It is greater at each start unless the wall clock is
/// set back by more than the daemon was up. A daemon with a directory of its own uses `next_incarnation`.
std::uint64_t incarnation_now();

/// As incarnation_now, and greater than all numbers that were kept in this file before. Keeps the number in the file;
/// an error text if that can't be written.
OrFault<std::uint64_t> next_incarnation(const std::string& file);

/// The first number for sessions of this start. Each new session gets a greater number, and the next start's numbers
/// are greater than all of these.
constexpr std::uint64_t session_incarnation(std::uint64_t start) { return start << 16; }

/// The name of a daemon, from its directory's random number and the start of the machine. A copy of the directory on
/// another machine has another name. Without a directory, every start has another name.
OrFault<std::uint64_t> instance_of(const std::string& directory);

}  // namespace dmm
