// Shows the progress of a run or a simulation: redrawn in place on a terminal, a few times a second; elsewhere one line
// every ten seconds. The cursor is visible again when the display is gone, whatever happens.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/terminal/progress.hpp"
#include "protocol/time.hpp"

namespace dmm {

class Display {
 public:
  /// Writes to this descriptor.
  explicit Display(int descriptor);
  ~Display() { close(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// Whether a new picture is due; an earlier one would not be shown.
  bool due(Instant now) const { return now >= next_; }
  void show(const RunProgress& progress, Instant now);
  /// Shows any progress: `draw` returns the picture for a terminal with `columns` columns, `say` the line elsewhere.
  void show(const std::function<std::vector<std::string>(std::size_t columns, const Style& style)>& draw,
            const std::function<std::string()>& say, Instant now);
  /// Leaves the last picture; later output comes below it.
  void close();

 private:
  void put(std::vector<std::string> lines);
  void write(const std::string& text) const;

  int descriptor_;
  Style style_;
  bool live_;
  bool cursor_hidden_ = false;
  std::size_t drawn_ = 0;  ///< lines on the screen
  Instant next_{};
};

}  // namespace dmm
