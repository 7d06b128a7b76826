// Checks of programs that somebody would like to run.
#pragma once

#include <string>

#include "protocol/messages.hpp"

namespace dmm {

/// Why no system could start it, whatever is installed there; empty if one may.
std::string fault_of(const Program& program);

}  // namespace dmm
