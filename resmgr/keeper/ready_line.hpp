// The line by which a launcher tells the keeper that it is ready, or why it can't be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/reasons.hpp"

namespace dmm {

constexpr std::size_t ready_line_bytes_max = 4096;
/// The launcher's socket to the keeper: it is open when the launcher begins.
constexpr int launcher_socket = 5;

struct ReadyLine {
  StartFault fault = StartFault::none;
  std::string text;  ///< the contact for other tasks, or the fault in words
};

/// The line without its end.
std::string ready_line(const ReadyLine& line);
/// Reads the line. A line that makes no sense is a fault of the host.
ReadyLine parse_ready_line(std::string_view line);

}  // namespace dmm
