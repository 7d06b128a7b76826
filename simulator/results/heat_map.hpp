// Rows of cells, darker for larger values: they show many clusters over time at a glance.
#pragma once

#include <string>
#include <vector>

#include "simulator/results/svg.hpp"

namespace dmm {

struct HeatRow {
  std::string name;
  std::vector<double> cells;  ///< a value for each time step, from 0
};

struct HeatMap {
  std::string title;
  std::string scale_label;   ///< what a shade stands for, with its unit
  double scale_high = 1;     ///< the value with the darkest shade; larger values are as dark
  std::string scale_unit;    ///< behind the numbers of the scale: " %"
  double start_seconds = 0;  ///< of the first cell
  double step_seconds = 1;
  std::vector<HeatRow> rows;
};

/// Height in pixels of a map with this number of rows.
double heat_map_height(std::size_t rows);
void draw_heat_map(Svg& svg, SvgPoint corner, double width, const HeatMap& map);

}  // namespace dmm
