#include "cli/terminal/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace dmm {
namespace {

/// Bytes at the front of the text that take no column: an escape sequence "ESC [ ... letter".
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

std::string shortened(const std::string& text, std::size_t columns, const Style& style) {
  if (columns == 0 || columns_of(text) <= columns) return text;
  return cut(text, columns - 1) + std::string(style.pick("…", "~"));
}

std::vector<std::string> folded(std::string_view text, std::size_t columns, std::size_t indent) {
  std::vector<std::string> lines(1);
  if (columns == 0) return {std::string(text)};
  bool is_first = true;  // word of its line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, blank - at);
    at = blank + 1;
    if (!is_first && columns_of(lines.back()) + 1 + columns_of(word) > columns) {
      lines.emplace_back(indent, ' ');
      is_first = true;
    }
    if (!std::exchange(is_first, false)) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

// ---- tables --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t gap = 2;       ///< columns between two cells
constexpr std::size_t cut_min = 12;  ///< no text is cut shorter than this
constexpr std::size_t stack_indent = 4;

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += (sum > 0 ? gap : 0) + width;
  return sum;
}

std::string cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? row[column] : std::string();
}

}  // namespace

/// The columns that are shown: all; but without empty ones if the table is too wide.
std::vector<std::size_t> Table::shown(const Style& style) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < columns_.size(); ++i) all.push_back(i);
  if (style.columns == 0 || sum_of(widths(all)) <= style.columns) return all;
  std::erase_if(all, [&](std::size_t i) {
    return std::ranges::all_of(rows_, [&](const auto& row) { return cell_of(row, i).empty(); });
  });
  return all;
}

std::vector<std::size_t> Table::widths(const std::vector<std::size_t>& shown) const {
  std::vector<std::size_t> widths;
  for (const std::size_t i : shown) {
    widths.push_back(columns_of(columns_[i].title));
    for (const auto& row : rows_) widths.back() = std::max(widths.back(), columns_of(cell_of(row, i)));
  }
  return widths;
}

/// Makes columns that may be cut narrower, the widest first. Returns whether all columns fit.
bool Table::cut_to_fit(const std::vector<std::size_t>& shown, std::vector<std::size_t>& widths,
                       std::size_t limit) const {
  const auto least = [&](std::size_t i) { return std::max(cut_min, columns_of(columns_[shown[i]].title)); };
  while (sum_of(widths) > limit) {
    std::size_t widest = shown.size();
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (columns_[shown[i]].cut && widths[i] > least(i) && (widest == shown.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == shown.size()) return false;
    --widths[widest];
  }
  return true;
}

std::string Table::text(const Style& style) const {
  const std::vector<std::size_t> all = shown(style);
  std::vector<std::size_t> wide = widths(all);
  std::size_t beside = all.size();  // columns that stand side by side; the others stand below
  if (style.columns > 0 && !cut_to_fit(all, wide, style.columns)) {
    wide = widths(all);
    while (beside > 1 &&
           sum_of({wide.begin(), wide.begin() + static_cast<std::ptrdiff_t>(beside)}) > style.columns)
      --beside;
  }
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t i = 0; i < beside; ++i) {
      std::string cell = shortened(text_of(all[i]), std::max<std::size_t>(wide[i], 1), style);
      if (i > 0) text.append(gap, ' ');
      text += columns_[all[i]].right ? pad_left(std::move(cell), wide[i]) : pad_right(std::move(cell), wide[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };
  const auto below = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t i = beside; i < all.size(); ++i) {
      const std::string cell = cell_of(row, all[i]);
      if (cell.empty()) continue;
      const std::string& title = columns_[all[i]].title;
      text += (text.empty() ? "" : ", ") + (title.empty() ? "" : style.paint(Ink::dim, title) + " ") + cell;
    }
    std::string lines;
    if (!text.empty())
      for (const std::string& one : folded(std::string(stack_indent, ' ') + text, style.columns, stack_indent))
        lines += shortened(one, style.columns, style) + '\n';
    return lines;
  };
  std::string whole = line([&](std::size_t i) { return style.paint(Ink::dim, columns_[i].title); });
  for (const auto& row : rows_) whole += line([&](std::size_t i) { return cell_of(row, i); }) + below(row);
  return whole;
}

}  // namespace dmm
