// The user's files that travel with a job: its script and its standard input, and no others. Each is read whole, but no
// further than its limit, since a pipe need not end. Requests in RSL are read in the same way.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/or_fault.hpp"
#include "protocol/programs.hpp"

namespace dmm {

/// Why a file can't travel.
struct CarriedFault {
  std::string text;
};

/// "131,072 bytes".
std::string bytes_text(std::size_t bytes);

/// Whether this file exists, can be read and begins with "#!".
bool is_script_file(const std::string& path);

/// Reads a script. A fault says why it can't travel, with the file's name and the limit.
OrFault<std::string, CarriedFault> read_script(const std::string& path);

/// Reads a request in RSL; the request itself doesn't travel.
OrFault<std::string, CarriedFault> read_rsl(const std::string& path);

/// Reads the input file. "-" is standard input, which may be anything but a terminal.
OrFault<std::string, CarriedFault> read_input(const std::string& path);

/// The input of a job without an input option: standard input, if it is a file at its beginning, as `<` opens it. Empty
/// for anything else, so that nothing is taken from a pipe, or from a shell loop that reads a file line by line. The
/// file's offset doesn't change.
OrFault<std::string, CarriedFault> offered_input();

}  // namespace dmm
