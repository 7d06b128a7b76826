// What a command writes for people and programs: faults on standard error, JSON and lines on standard output.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/terminal/command_fault.hpp"

namespace dmm {

/// Writes on standard error why a command failed; returns the exit code.
int fail(const std::string& command, const CommandFault& fault);

/// Flushes standard output. Returns `exit_code`; or 1, with a message on standard error, if the command succeeded but
/// its output could not be written.
int finish_output(int exit_code);

/// Prints one JSON value on standard output; text that isn't UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& json);
void print_lines(const std::vector<std::string>& lines);

}  // namespace dmm
