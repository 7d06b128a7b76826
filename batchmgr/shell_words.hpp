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

/// The text with something else in place of each %n, which stands for a node's name.
inline std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find("%n", at)) != std::string::npos; at += name.size())
    text.replace(at, 2, name);
  return text;
}

}  // namespace dmm
