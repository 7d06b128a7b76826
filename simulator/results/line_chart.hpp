// Line charts: several series over one axis, with error bars, steps or signs; one chart, or panels under one
// legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/results/axis.hpp"
#include "simulator/results/svg.hpp"

namespace dmm {

struct ChartPoint {
  double x = 0;
  double y = 0;
  double error = 0;  ///< half the length of the error bar; 0: none
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  std::optional<std::size_t> colour = {};  ///< number in the palette; by default the position among the series
};

struct AxisWish {
  std::string label;
  AxisKind kind = AxisKind::linear;
  std::optional<double> low = {};  ///< by default from the points
  std::optional<double> high = {};
  std::vector<AxisMark> marks = {};  ///< instead of round values
};

struct LineChart {
  std::string title;
  AxisWish x;
  AxisWish y;
  std::vector<ChartSeries> series;
  bool signs = true;  ///< at every point
  bool lines = true;  ///< from point to point
};

/// Draws the chart into a part of a drawing, without a legend.
void draw_chart(Svg& svg, SvgPoint corner, double width, double height, const LineChart& chart);
/// Draws the names of the series, each with its stroke and sign, in lines of at most `width`. Returns the height.
double draw_legend(Svg& svg, SvgPoint corner, double width, const std::vector<ChartSeries>& series, bool signs);

/// A whole document: a title, a line below it, the legend of the first chart, and the charts in rows of `columns`.
std::string chart_document(const std::string& title, const std::string& note, const std::vector<LineChart>& charts,
                           std::size_t columns = 2);

}  // namespace dmm
