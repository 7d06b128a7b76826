// What a command writes for people and programs: faults on standard error, JSON and lines on standard output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"

namespace dmm {

/// Says on standard error why a command failed; returns the exit code.
int fail(const std::string& command, const CommandFault& fault);

/// Writes what was printed. Returns the exit code: 1, said on standard error, if it could not be written and the
/// command did well otherwise.
int finish_output(int exit_code);

/// Prints one JSON value on standard output; text that isn't UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& json);
void print_lines(const std::vector<std::string>& lines);

}  // namespace dmm
