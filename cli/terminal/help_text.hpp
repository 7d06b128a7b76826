// Folds the help of a command to 80 columns; a narrower terminal would break words.
#pragma once

#include <string>
#include <string_view>

namespace dmm {

constexpr std::size_t help_columns = 80;

/// Descriptions of options continue in their own column, paragraphs are wrapped again, and broken example lines end
/// with a backslash.
std::string folded_help(std::string_view help);

}  // namespace dmm
