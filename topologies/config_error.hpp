// Why a person's file can't be used. A value, not an exception: main prints it and leaves with code 2.
#pragma once

#include <string>

namespace dmm {

/// Names the file, the field (sites[3].clusters[0].nodes), the rule that is broken and what was expected.
struct ConfigError {
  std::string text;
};

}  // namespace dmm
