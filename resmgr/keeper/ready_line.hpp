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
  std::string text;  ///< how other tasks reach it, or the fault in words
};

/// Without the end of the line.
std::string ready_line(const ReadyLine& line);
/// Of a line that makes no sense: a fault of the host.
ReadyLine parse_ready_line(std::string_view line);

}  // namespace dmm
