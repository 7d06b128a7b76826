// Files of the user that travel with a job: its script and what it reads from standard input. Nothing else does.
// Each is read whole, and no further than it may be long: a pipe need not end. Requests in RSL are read in the
// same way.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/outcome.hpp"
#include "protocol/programs.hpp"

namespace dmm {

/// Why a file can't travel.
struct CarriedFault {
  std::string text;
};

/// "131,072 bytes".
std::string bytes_text(std::size_t bytes);

/// Whether there is a file of this name that can be read and begins with "#!".
bool is_script_file(const std::string& path);

/// The script in a file; why it can't travel, with the file's name and the limit.
OrFault<std::string, CarriedFault> read_script(const std::string& path);

/// A request in RSL, which doesn't travel.
OrFault<std::string, CarriedFault> read_rsl(const std::string& path);

/// The input in a file; "-" is standard input, whatever it is but a terminal.
OrFault<std::string, CarriedFault> read_input(const std::string& path);

/// What standard input has for a job where nothing was said of it: a file that stands at its beginning, as `<`
/// opens it. Empty for all else, so that nothing is taken from a pipe, or from a loop that reads a file line by
/// line. The place in the file stays where it is.
OrFault<std::string, CarriedFault> offered_input();

}  // namespace dmm
