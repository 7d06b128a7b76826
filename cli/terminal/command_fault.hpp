// Why a command of `dmm` failed.
#pragma once

#include <string>

namespace dmm {

/// Why a command can't do its work, and its exit code: 2 for bad usage or input, 1 otherwise.
struct CommandFault {
  std::string text;
  int exit_code = 1;
};

}  // namespace dmm
