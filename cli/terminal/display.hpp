// Puts the progress of a run or a simulation on the screen: in place on a terminal, a few times a second;
// elsewhere one line every ten seconds. Whatever happens, the cursor is back when the display is gone.
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

  /// Whether a new picture is due: nobody need make one earlier.
  bool due(Instant now) const { return now >= next_; }
  void show(const RunProgress& progress, Instant now);
  /// The same of anything: `draw` gives the picture for a terminal of so many columns, `say` the line elsewhere.
  void show(const std::function<std::vector<std::string>(std::size_t columns, const Style& style)>& draw,
            const std::function<std::string()>& say, Instant now);
  /// The last picture stays; what is written next comes below it.
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
