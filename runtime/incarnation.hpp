// What tells one start of a daemon from the others of its name: a number that is greater at each start, and a name that
// is the same at each start of one, and another for any other process that goes by its name.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/outcome.hpp"

namespace dmm {

/// The number of this start of a daemon: milliseconds since 1970. It is greater at each start as long as the wall clock
/// is not set back by more than the daemon was up; a daemon with a directory of its own uses `next_incarnation`.
std::uint64_t incarnation_now();

/// As incarnation_now, and greater than all numbers that were kept in this file before; keeps it there. The text of an
/// error if the file can't be written.
OrFault<std::uint64_t> next_incarnation(const std::string& file);

/// What the sessions of this start count from: each is begun anew with a greater number, and the next start's are
/// greater than all of these.
constexpr std::uint64_t session_incarnation(std::uint64_t start) { return start << 16; }

/// By the directory's own random name and by the start of the machine: a copy of the directory elsewhere is another.
/// Without a directory every start is another.
OrFault<std::uint64_t> instance_of(const std::string& directory);

}  // namespace dmm
