// How text looks where it goes: colours and line drawing on a terminal, plain elsewhere. Pure but for style_of,
// which looks at a descriptor and the environment once.
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
  std::size_t columns = 0;  ///< that a line may take; 0: any number, as in a file

  /// The text in a colour, if there are colours.
  std::string paint(Ink ink, std::string_view text) const;
  /// The first text, or the second where there is ASCII only.
  std::string_view pick(std::string_view drawn, std::string_view ascii) const { return unicode ? drawn : ascii; }
};

/// The style for what is written to this descriptor: colours only on a terminal and without NO_COLOR; ASCII only
/// where the locale names another encoding than UTF-8; lines as wide as COLUMNS says, or else the terminal.
Style style_of(int descriptor);

/// Width of the terminal behind the descriptor; `otherwise` if it is none.
std::size_t columns_of_terminal(int descriptor, std::size_t otherwise = 80);

}  // namespace dmm
