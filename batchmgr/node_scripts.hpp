// The scripts that Slurm runs on a node around each local job, where a site wants no pilots. The prolog stops the
// node's agent; the epilog starts it again after the last local job there ([IDLE], section 3). Pure.
#pragma once

#include <string>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

struct NodeScriptSettings {
  std::string node_folder;  ///< on a node: keys, jobs and logs of its agent, in a subfolder of the node's name
  std::string programs;     ///< on a node: the folder with DMM's programs
  Duration grace = seconds(5);
  std::vector<std::string> settings;  ///< of the node's resource manager, KEY=VALUE
};

std::string prolog_text(const NodeScriptSettings& settings);
std::string epilog_text(const NodeScriptSettings& settings);

}  // namespace dmm
