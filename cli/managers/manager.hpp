// A manager that a command of `dmm` speaks to.
#pragma once

#include <string>

#include "protocol/ids.hpp"

namespace dmm {

struct Manager {
  Party party;
  std::string endpoint;
  std::string testbed = {};  ///< empty: it was named by its endpoint
};

}  // namespace dmm
