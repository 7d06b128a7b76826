// Cutting text into lines and words.
#include "batchmgr/lines.hpp"

#include <algorithm>
#include <charconv>

namespace dmm::lines {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> split(std::string_view text, char mark, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t end = text.find(mark);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

void add_to(std::string& list, std::string_view word, std::string_view mark) {
  if (!list.empty()) list += mark;
  list += word;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string minutes_of(Duration length) {
  return std::to_string(std::max<std::int64_t>((length.microseconds + 59'999'999) / 60'000'000, 1));
}

}  // namespace dmm::lines
