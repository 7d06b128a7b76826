// Numbers, lengths of time, bars and tables as aligned text for people. Pure: values in, strings out.
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
/// "02:05", "1:02:05": for a running clock.
std::string clock_text(double seconds);
/// A number with its noun: "1 job", "12 jobs".
std::string count_text(std::uint64_t number, std::string_view noun);
/// "no_capacity" as "no capacity".
std::string words_of(std::string_view identifier);

/// A bar of `cells` cells; `fraction` of them is full, in eighths of a cell with Unicode.
std::string bar(double fraction, std::size_t cells, const Style& style);

/// Columns that the text takes on a terminal: code points, without escape sequences.
std::size_t columns_of(std::string_view text);
std::string pad_right(std::string text, std::size_t columns);
std::string pad_left(std::string text, std::size_t columns);
/// The first `columns` columns of the text; escape sequences are kept.
std::string cut(std::string_view text, std::size_t columns);
/// The text if it fits into these columns, else its beginning with a mark that there is more. 0 columns: always the
/// text.
std::string shortened(const std::string& text, std::size_t columns, const Style& style);
/// The text in lines of at most `columns`, broken at blanks; all but the first begin with `indent` blanks. With 0
/// columns it is one line. A word longer than a line stays whole.
std::vector<std::string> folded(std::string_view text, std::size_t columns, std::size_t indent = 2);
/// The text without control characters, which a terminal would obey: each becomes '?'.
std::string harmless(std::string_view text);

/// Rows under titles; each column is as wide as its widest cell. A row never exceeds the style's width. To fit, a table
/// leaves out empty columns, and cuts long texts in columns that allow it. If that isn't enough, the columns that don't
/// fit stand below their row, as "title value".
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< numbers are aligned to the right
    bool cut = false;    ///< its texts may be cut
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// One line for each row where it fits; each ends with a newline.
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
