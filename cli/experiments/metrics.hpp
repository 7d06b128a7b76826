// The figures that compare runs, each with its name in JSON and CSV, its title and its unit.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/architectures/run.hpp"
#include "simulator/results/axis.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// The figures of one run; metrics are made from these alone.
struct RunFigures {
  Summary summary;
  MessageCounts messages{};
};

struct Metric {
  std::string_view name;    ///< "average_wait_seconds"
  std::string_view title;   ///< of a chart
  std::string_view column;  ///< of a table's column: short, with the unit
  std::string_view unit;    ///< empty: none
  int digits;               ///< after the point, for people
  AxisKind axis;
  double (*of)(const RunFigures&);
};

/// All of them.
const std::vector<Metric>& metrics();
/// Null if no metric has this name.
const Metric* find_metric(std::string_view name);

}  // namespace dmm
