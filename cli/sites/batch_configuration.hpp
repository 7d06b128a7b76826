// The configuration of a batch manager, for commands that work beside it, not through it.
#pragma once

#include <string>

#include "batchmgr/batch_system.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

struct BatchConfiguration {
  BatchSettings settings;  ///< with the folder of the programs filled in
  const BatchSystem* system = nullptr;
};

OrFault<BatchConfiguration, CommandFault> batch_configuration(const std::string& file);

}  // namespace dmm
