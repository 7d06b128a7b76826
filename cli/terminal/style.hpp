// How text looks: colours and line drawing on a terminal, plain elsewhere. Pure, except that style_of looks at a
// descriptor and the environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dmm {

enum class Ink : std::uint8_t { plain, bold, dim, red, green, yellow, blue, cyan };

/// What the reader's terminal can show.
struct Style {
  bool colour = false;
  bool unicode = true;
  std::size_t columns = 0;  ///< that a line may take; 0: no limit, as in a file

  /// The text in a colour, if colours are on.
  std::string paint(Ink ink, std::string_view text) const;
  /// The first text, or the second if only ASCII can be shown.
  std::string_view pick(std::string_view drawn, std::string_view ascii) const { return unicode ? drawn : ascii; }
};

/// The style of a descriptor. Colours only on a terminal and without NO_COLOR. ASCII only if the locale names another
/// encoding than UTF-8. Lines are as wide as COLUMNS says, else as the terminal.
Style style_of(int descriptor);

/// The width of the terminal at the descriptor; `otherwise` if it isn't a terminal.
std::size_t columns_of_terminal(int descriptor, std::size_t otherwise = 80);

}  // namespace dmm
