// The help of a command on 80 columns: a terminal that breaks it elsewhere breaks words.
#pragma once

#include <string>
#include <string_view>

namespace dmm {

constexpr std::size_t help_columns = 80;

/// Descriptions of options go on below where they begin, paragraphs are filled anew, and examples end with a backslash
/// where they go on.
std::string folded_help(std::string_view help);

}  // namespace dmm
