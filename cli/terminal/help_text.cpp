#include "cli/terminal/help_text.hpp"

#include <vector>

#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

/// Where CLI11 begins the description of an option.
constexpr std::size_t description_column = 30;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_indented(std::string_view line) { return line.starts_with(' '); }

std::string folded_option(std::string_view line) {
  std::string text;
  for (const std::string& part : folded(line, help_columns, description_column)) text += part + '\n';
  return text;
}

std::string folded_example(std::string_view line) {
  std::string text;
  for (const std::string& part : folded(line, help_columns - 2, 6)) text += (text.empty() ? "" : " \\\n") + part;
  return text + '\n';
}

}  // namespace

std::string folded_help(std::string_view help) {
  std::string text;
  const std::vector<std::string_view> lines = lines_of(help);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.size() <= help_columns) {
      text.append(line).append("\n");
    } else if (line.starts_with("  dmm ")) {
      text += folded_example(line);
    } else if (is_indented(line)) {
      text += folded_option(line);
    } else {
      std::string paragraph(line);
      while (i + 1 < lines.size() && !lines[i + 1].empty() && !is_indented(lines[i + 1]))
        paragraph.append(" ").append(lines[++i]);
      for (const std::string& part : folded(paragraph, help_columns, 0)) text += part + '\n';
    }
  }
  return text;
}

}  // namespace dmm
