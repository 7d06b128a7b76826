// What a borrowed node runs at its owner, to be a node of the borrower's Slurm until the owner wants it back.
#pragma once

#include <string>

#include "batchmgr/settings.hpp"

namespace dmm::slurm {

/// A shell script, which ends with SIGTERM: it has Slurm put the node's jobs back into its queue first. It needs a
/// mount namespace of its own, and SIGTERM to reach the script alone.
std::string guest_script(const BatchSettings& settings, const std::string& node);

}  // namespace dmm::slurm
