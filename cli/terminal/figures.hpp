// Numbers, lengths of time, bars and tables as text, aligned for people. Pure: values in, strings out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// "6,563".
std::string grouped(std::uint64_t number);
/// "1,234.5": with this many digits after the point.
std::string decimal(double number, int digits);
/// "37.4 %".
std::string percent(double fraction);
/// A length of time in the unit that suits it: "0.4 ms", "12.3 s", "5 min 03 s", "2 h 05 min", "3 d 04 h".
std::string length_text(double seconds);
/// "02:05", "1:02:05": for a clock that runs.
std::string clock_text(double seconds);
/// One and its noun: "1 job", "12 jobs".
std::string count_text(std::uint64_t number, std::string_view noun);
/// "no_capacity" as "no capacity".
std::string words_of(std::string_view identifier);

/// A bar of `cells` cells, `fraction` of them full, in eighths of a cell where Unicode is shown.
std::string bar(double fraction, std::size_t cells, const Style& style);

/// Cells that the text takes on a terminal: code points, without escape sequences.
std::size_t columns_of(std::string_view text);
std::string pad_right(std::string text, std::size_t columns);
std::string pad_left(std::string text, std::size_t columns);
/// At most this many columns of the text; escape sequences are kept.
std::string cut(std::string_view text, std::size_t columns);
/// The text if it takes no more columns, else its beginning and a sign that there is more; 0 columns: the text.
std::string shortened(const std::string& text, std::size_t columns, const Style& style);
/// The text in lines of at most `columns`, broken at blanks; the later ones begin with `indent` blanks. With 0
/// columns it is one line. A word that is longer than a line stays whole.
std::vector<std::string> folded(std::string_view text, std::size_t columns, std::size_t indent = 2);
/// The text without what a terminal would obey: control characters become '?'.
std::string harmless(std::string_view text);

/// Rows under titles, each column as wide as its widest cell. What is wider than the style's lines is never left to the
/// terminal to wrap: columns without any text are left out, long texts are cut where a column says that they may be,
/// and the columns that still don't fit stand below their row, as "title value".
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< numbers stand to the right
    bool cut = false;    ///< its texts may be cut
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// One line a row where it fits, each with an end of line.
  std::string text(const Style& style) const;

 private:
  std::vector<std::size_t> shown(const Style& style) const;
  std::vector<std::size_t> widths(const std::vector<std::size_t>& shown) const;
  bool cut_to_fit(const std::vector<std::size_t>& shown, std::vector<std::size_t>& widths,
                  std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dmm
