// The text of slurm.conf with changes in it. Pure; comments and the order of lines stay.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "batchmgr/finding.hpp"

namespace dmm::slurm {

struct Configured {
  std::string text;
  std::vector<std::string> by_hand;  ///< changes for which the text has no place: a line is in an included file
};

Configured configured(const std::string& text, std::span<const Edit> edits);

}  // namespace dmm::slurm
