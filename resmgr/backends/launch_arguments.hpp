// The command line by which a resource manager starts the launcher.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/job_messages.hpp"

namespace dmm {

struct LaunchArguments {
  Runner runner = Runner::per_component;
  std::string address;               ///< at which the job's other tasks reach this host; empty: they can't
  InputFiles inputs;                 ///< brought to its folder before it is ready
  std::vector<std::string> program;  ///< and its arguments
};

/// The words after the launcher's name: "run", ...
std::vector<std::string> launch_words(const LaunchArguments& arguments);
/// The same without "run"; nothing if they make no sense.
std::optional<LaunchArguments> parse_launch_arguments(const std::vector<std::string>& words);

}  // namespace dmm
