// See figures.hpp.
#include "cli/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace dmm {
namespace {

/// How many bytes at the front of the text take no column: an escape sequence "ESC [ ... letter".
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  std::size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string decimal(double number, int digits) {
  if (!std::isfinite(number)) return "-";
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, number);
  std::string text = buffer.data();
  const std::size_t first = text[0] == '-' ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > first + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string percent(double fraction) { return decimal(fraction * 100, 1) + " %"; }

std::string length_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double size = std::fabs(seconds);
  if (size < 0.9995) return decimal(seconds * 1000, size < 0.00995 ? 2 : size < 0.0995 ? 1 : 0) + " ms";
  if (size < 99.95) return decimal(seconds, 1) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(size));
  const std::string sign = seconds < 0 ? "-" : "";
  if (whole < 3600) return sign + std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  if (whole < 86'400) return sign + std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
  return sign + std::to_string(whole / 86'400) + " d " + two_digits(whole % 86'400 / 3600) + " h";
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, seconds));
  const std::string hours = whole >= 3600 ? std::to_string(whole / 3600) + ":" : "";
  return hours + two_digits(whole % 3600 / 60) + ":" + two_digits(whole % 60);
}

std::string count_text(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string words_of(std::string_view identifier) {
  std::string text(identifier);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string bar(double fraction, std::size_t cells, const Style& style) {
  static constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
  const auto steps = static_cast<std::size_t>(share * static_cast<double>(cells) * 8 + 0.5);
  std::size_t full = steps / 8, used = full;
  std::string text;
  for (std::size_t i = 0; i < full; ++i) text += style.pick("█", "#");
  if (style.unicode && steps % 8 != 0) text += parts.at(steps % 8), ++used;
  for (; used < cells; ++used) text += style.pick("░", ".");
  return text;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t escape = escape_length(text.substr(i)); escape > 0) {
      i += escape;
      continue;
    }
    if (!continues_character(text[i])) ++columns;
    ++i;
  }
  return columns;
}

std::string pad_right(std::string text, std::size_t columns) {
  const std::size_t width = columns_of(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t columns) {
  const std::size_t width = columns_of(text);
  return width < columns ? std::string(columns - width, ' ') + text : text;
}

std::string cut(std::string_view text, std::size_t columns) {
  std::string kept;
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t escape = escape_length(text.substr(i)); escape > 0) {
      kept.append(text.substr(i, escape));
      i += escape;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && continues_character(text[end])) ++end;
    if (++width <= columns) kept.append(text.substr(i, end - i));
    i = end;
  }
  return kept;
}

std::string harmless(std::string_view text) {
  std::string clean(text);
  for (char& byte : clean)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = '?';
  return clean;
}

std::string shortened(std::string_view text, std::size_t columns, const Style& style) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::string_view more = style.pick("…", "~");
  return columns == 0 ? std::string() : cut(text, columns - 1) + std::string(more);
}

std::vector<std::size_t> Table::widths(const Style& style) const {
  constexpr std::size_t least = 8;  // of a text that is to say anything
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(columns_of(columns_[i].title));
    for (const auto& row : rows_)
      if (i < row.size()) widths[i] = std::max(widths[i], columns_of(row[i]));
    total += widths[i] + (i > 0 ? 2 : 0);
  }
  while (style.columns > 0 && total > style.columns) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_short = columns_[i].right || widths[i] <= std::max(least, columns_of(columns_[i].title));
      if (!is_short && (widest == columns_.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest], --total;
  }
  return widths;
}

std::string Table::text(const Style& style) const {
  const std::vector<std::size_t> wide = widths(style);
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::string cell = shortened(cell_of(i), wide[i], style);
      if (i > 0) text += "  ";
      text += columns_[i].right ? pad_left(std::move(cell), wide[i]) : pad_right(std::move(cell), wide[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return (style.columns > 0 ? shortened(text, style.columns, style) : text) + '\n';
  };
  std::string all = line([&](std::size_t i) { return style.paint(Ink::dim, columns_[i].title); });
  for (const auto& row : rows_)
    all += line([&](std::size_t i) { return i < row.size() ? row[i] : std::string(); });
  return all;
}

}  // namespace dmm
