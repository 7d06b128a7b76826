// One option in the head of a job script.
#pragma once

#include <cstddef>
#include <string>

namespace dmm {

/// One option in the head of a script.
struct Directive {
  std::string option;  ///< with its dashes: "--processors", "-n"
  std::string value;
  bool has_value = false;
  std::size_t line = 0;     ///< from 1
  bool is_implied = false;  ///< it follows from another option of the script; an explicit option goes before it
};

}  // namespace dmm
