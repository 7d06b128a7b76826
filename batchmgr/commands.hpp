// Programs that a batch manager has run for it, apart from its own loop and each with a time limit, and what came
// of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

struct Command {
  std::vector<std::string> arguments;  ///< the program first
  std::string input = {};              ///< on its standard input
};

struct CommandWanted {
  std::uint64_t id = 0;
  Command command;
  Duration at_most;
};

struct CommandEnded {
  std::uint64_t id = 0;
  int status = 0;  ///< exit status; -1: it could not be run, was killed, or took too long
  std::string output = {};
  std::string error = {};  ///< what it said on its standard error, or why there is no exit status
  Duration took = {};
  std::uint32_t minute = 0;        ///< of the day, by the clock of this host, when it ended
  std::int64_t clock_seconds = 0;  ///< by the same clock: since 1970
};

/// One line without blanks at its end.
std::string trimmed(std::string text);
/// What a command that failed said, for people, on one line; its exit status if it said nothing.
std::string said_by(const CommandEnded& ended);

}  // namespace dmm
