// What an examination asks Slurm's head, by commands, and what their ends say.
#pragma once

#include "batchmgr/batch_system.hpp"
#include "batchmgr/systems/slurm_facts.hpp"

namespace dmm::slurm {

std::vector<Command> questions(const BatchSettings& settings);
std::vector<Finding> examine(const BatchSettings& settings, std::span<const CommandEnded> ends);
Command try_on(const BatchSettings& settings, const std::string& node, const std::string& script);

}  // namespace dmm::slurm
