// Rows of cells whose shade says how much: many clusters over time at one look.
#pragma once

#include <string>
#include <vector>

#include "simulator/results/svg.hpp"

namespace dmm {

struct HeatRow {
  std::string name;
  std::vector<double> cells;  ///< one a time step, from 0
};

struct HeatMap {
  std::string title;
  std::string scale_label;   ///< what a shade stands for, with its unit
  double scale_high = 1;     ///< the value that is darkest; what is above is as dark
  std::string scale_unit;    ///< behind the numbers of the scale: " %"
  double start_seconds = 0;  ///< of the first cell
  double step_seconds = 1;
  std::vector<HeatRow> rows;
};

/// Its height for that many rows.
double heat_map_height(std::size_t rows);
void draw_heat_map(Svg& svg, SvgPoint corner, double width, const HeatMap& map);

}  // namespace dmm
