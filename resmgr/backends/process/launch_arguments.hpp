// How a resource manager starts the launcher: what it is to run in its arguments, which all accounts of a host can
// see, and the job's files in its environment, which they can't: a URL may have a word in it that opens the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/job_messages.hpp"
#include "resmgr/settings.hpp"

namespace dmm {

struct LaunchArguments {
  Runner runner = Runner::per_component;
  std::string address;               ///< at which the job's other tasks reach this host; empty: they can't
  std::vector<std::string> program;  ///< and its arguments
};

/// The words after the launcher's name: "run", ...
std::vector<std::string> launch_words(const LaunchArguments& arguments);
/// The same without "run"; nothing if they make no sense.
std::optional<LaunchArguments> parse_launch_arguments(const std::vector<std::string>& words);

struct LaunchFiles {
  InputFiles inputs;    ///< brought to its folder before it is ready
  OutputFiles outputs;  ///< brought to these URLs when it is over
  KeptFilesRules kept;  ///< where input files are kept for later tasks
};

/// A variable for each file, and one for what is kept.
std::vector<std::string> launch_variables(const InputFiles& inputs, const OutputFiles& outputs,
                                          const KeptFilesRules& kept = {});
/// The files of such variables among others, which are left out; nothing if they make no sense.
std::optional<LaunchFiles> parse_launch_variables(const std::vector<std::string>& variables);
/// Whether it is one of them: the job's program needs none.
bool is_launch_variable(const std::string& variable);

}  // namespace dmm
