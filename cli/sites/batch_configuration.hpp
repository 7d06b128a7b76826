// The configuration of a batch manager, read by commands that look at its batch system themselves.
#pragma once

#include <string>

#include "batchmgr/batch_system.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

struct BatchConfiguration {
  BatchSettings settings;  ///< the folder of the programs is filled in
  const BatchSystem* system = nullptr;
};

OrFault<BatchConfiguration, CommandFault> batch_configuration(const std::string& file);

}  // namespace dmm
