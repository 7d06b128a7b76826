#include "cli/terminal/style.hpp"
#include "cli/terminal/environment.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>

namespace dmm {
namespace {

/// Reads the encoding of the locale in the order of the C library. An unset locale says nothing about the terminal, and
/// today's terminals show UTF-8.
bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = environment(name);
    if (locale.empty()) continue;
    for (const char* encoding : {"UTF-8", "utf-8", "UTF8", "utf8"})
      if (locale.find(encoding) != std::string_view::npos) return true;
    return false;
  }
  return true;
}

/// Fewer columns can't show anything useful.
constexpr std::size_t columns_min = 20;

std::size_t columns_for(int descriptor) {
  const std::string_view wanted = environment("COLUMNS");
  std::size_t columns = 0;
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), columns);
  if (columns >= columns_min) return columns;
  return isatty(descriptor) == 1 ? columns_of_terminal(descriptor) : 0;
}

}  // namespace

std::string Style::paint(Ink ink, std::string_view text) const {
  static constexpr std::array<std::string_view, 8> codes{"", "1", "2", "31", "32", "33", "34", "36"};
  if (!colour || ink == Ink::plain || text.empty()) return std::string(text);
  std::string painted = "\x1b[";
  painted.append(codes.at(static_cast<std::size_t>(ink))).append("m").append(text).append("\x1b[0m");
  return painted;
}

Style style_of(int descriptor) {
  Style style;
  style.unicode = shows_unicode();
  style.colour = isatty(descriptor) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  style.columns = columns_for(descriptor);
  return style;
}

std::size_t columns_of_terminal(int descriptor, std::size_t otherwise) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
  return size.ws_col;
}

}  // namespace dmm
