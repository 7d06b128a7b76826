// Text as one word of a shell.
#pragma once

#include <string>

namespace dmm {

/// Nothing in it is special to the shell.
inline std::string shell_word(const std::string& text) {
  std::string all = "'";
  for (const char letter : text) all += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return all + "'";
}

}  // namespace dmm
