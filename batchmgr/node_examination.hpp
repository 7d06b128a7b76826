// Whether a node that may be lent has what its agent needs: a script that runs there, and what its words say.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "batchmgr/commands.hpp"
#include "batchmgr/finding.hpp"
#include "batchmgr/settings.hpp"

namespace dmm {

/// For a shell: prints a line "KEY WORDS" for each thing that it looked at.
std::string node_script(const BatchSettings& settings);

/// What the script said. `began` and `ended` are this host's clock, seconds since 1970, around it; `version` is
/// that of DMM here.
std::vector<Finding> examine_node(const BatchSettings& settings, const std::string& node,
                                  const CommandEnded& ended, double began, double finished,
                                  const std::string& version);

}  // namespace dmm
