// The figures by which runs are compared, each with its name in JSON and CSV, its words and its unit.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/architectures/run.hpp"
#include "simulator/results/axis.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// Of one run, all that metrics are made of.
struct RunFigures {
  Summary summary;
  MessageCounts messages{};
};

struct Metric {
  std::string_view name;    ///< "average_wait_seconds"
  std::string_view title;   ///< of a chart
  std::string_view column;  ///< of a column, short, with its unit
  std::string_view unit;    ///< empty: none
  int digits;               ///< behind the point, for people
  AxisKind axis;
  double (*of)(const RunFigures&);
};

/// All of them.
const std::vector<Metric>& metrics();
/// Null if there is none of that name.
const Metric* find_metric(std::string_view name);

}  // namespace dmm
