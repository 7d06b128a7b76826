// How a resource manager starts the launcher. The arguments have what it is to run: all accounts of a host can see
// them. The environment has the job's files: other accounts can't see it, and a URL may have a secret that opens the
// file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/job_messages.hpp"
#include "resmgr/settings.hpp"

namespace dmm {

struct LaunchArguments {
  Runner runner = Runner::per_component;
  std::string address;               ///< where the job's other tasks reach this host; empty: they can't
  std::vector<std::string> program;  ///< and its arguments
};

/// The words after the launcher's name: "run", ...
std::vector<std::string> launch_words(const LaunchArguments& arguments);
/// The same without "run"; nothing if they make no sense.
std::optional<LaunchArguments> parse_launch_arguments(const std::vector<std::string>& words);

struct LaunchFiles {
  InputFiles inputs;    ///< brought to the job's folder before it is ready
  OutputFiles outputs;  ///< brought to these URLs when it is over
  KeptFilesRules kept;  ///< where input files are kept for later tasks
};

/// A variable for each file, and one for the rules of kept files.
std::vector<std::string> launch_variables(const InputFiles& inputs, const OutputFiles& outputs,
                                          const KeptFilesRules& kept = {});
/// The files in such variables; other variables are ignored. Nothing if they make no sense.
std::optional<LaunchFiles> parse_launch_variables(const std::vector<std::string>& variables);
/// Whether it is such a variable: the job's program needs none.
bool is_launch_variable(const std::string& variable);

}  // namespace dmm
