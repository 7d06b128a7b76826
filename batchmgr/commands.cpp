#include "batchmgr/commands.hpp"

#include <algorithm>

namespace dmm {

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string said_by(const CommandEnded& ended) {
  const std::string text = trimmed(ended.error.empty() ? ended.output : ended.error);
  return text.empty() ? "exit status " + std::to_string(ended.status) : text;
}

}  // namespace dmm
