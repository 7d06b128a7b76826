// Whether a Slurm cluster is configured as lending and borrowing its nodes need it. Pure.
#pragma once

#include <vector>

#include "batchmgr/finding.hpp"
#include "batchmgr/settings.hpp"
#include "batchmgr/systems/slurm_facts.hpp"

namespace dmm::slurm {

/// The least time between the warning of a preemption and its end: the agent's grace, and what it needs itself.
Duration grace_wanted(const BatchSettings& settings);
/// Nodes that the cluster has, and those that it may borrow.
std::uint64_t nodes_wanted(const Facts& facts, const BatchSettings& settings);

/// What holding nodes by pilots needs.
std::vector<Finding> examine_lending(const Facts& facts, const BatchSettings& settings);
/// What nodes of other sites need to join. `configuration` is the text of slurm.conf.
std::vector<Finding> examine_borrowing(const Facts& facts, const BatchSettings& settings,
                                       std::string_view configuration);

}  // namespace dmm::slurm
