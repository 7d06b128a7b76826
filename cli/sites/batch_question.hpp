// The question to a batch manager about its nodes.
#pragma once

#include <string>

#include "cli/managers/questions.hpp"

namespace dmm {

/// A batch manager's answer about its nodes. Without an endpoint there is no batch manager, so neither JSON nor a
/// fault.
Answered ask_batch_manager(const std::string& endpoint);

}  // namespace dmm
