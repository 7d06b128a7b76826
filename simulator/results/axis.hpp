// One axis of a chart: from values to pixels, and where its marks are. Pure arithmetic.
#pragma once

#include <string>
#include <vector>

namespace dmm {

enum class AxisKind {
  linear,
  logarithmic,       ///< marks at powers of ten
  time,              ///< linear, seconds, marks at round times: "6 h"
  time_logarithmic,  ///< a length of time on a logarithmic scale: "1 min", "1 h"
};

struct AxisMark {
  double value = 0;
  std::string text;
};

struct Axis {
  AxisKind kind = AxisKind::linear;
  double low = 0;
  double high = 1;
  std::vector<AxisMark> marks = {};

  /// 0 at `low`, 1 at `high`. Values outside are cut to this range.
  double fraction(double value) const;
};

/// An axis over these values with about `marks_wanted` marks. A linear axis ends at a mark, and begins at 0 if that
/// isn't far below the values. A logarithmic axis puts values below its lowest decade, such as 0, at its start.
Axis make_axis(AxisKind kind, double low, double high, int marks_wanted = 6);

/// "30 s", "6 h", "2 d 12 h".
std::string time_mark(double seconds);

}  // namespace dmm
