// The question to a batch manager about its nodes.
#pragma once

#include <string>

#include "cli/managers/questions.hpp"

namespace dmm {

/// What a batch manager says of its nodes. Without an endpoint there is no batch manager: neither JSON nor a
/// fault.
Answered ask_batch_manager(const std::string& endpoint);

}  // namespace dmm
