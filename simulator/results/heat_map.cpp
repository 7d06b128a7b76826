// Neighbouring cells of one shade are one box, which keeps the file small.
#include "simulator/results/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/results/axis.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

constexpr double map_margin_left = 110, map_margin_right = 14, map_margin_top = 40, map_margin_bottom = 42;
constexpr int shades = 24;

double row_height(std::size_t rows) {
  return std::clamp(560.0 / static_cast<double>(std::max<std::size_t>(1, rows)), 9.0, 22.0);
}

int shade_of(double value, double high) {
  return static_cast<int>(std::lround(std::clamp(high > 0 ? value / high : 0, 0.0, 1.0) * shades));
}

void draw_row(Svg& svg, SvgPoint corner, double width, double height, const HeatRow& row, std::size_t steps,
              double high) {
  const double cell = width / static_cast<double>(steps);
  for (std::size_t begin = 0; begin < row.cells.size();) {
    const int shade = shade_of(row.cells[begin], high);
    std::size_t end = begin + 1;
    while (end < row.cells.size() && shade_of(row.cells[end], high) == shade) ++end;
    if (shade > 0)
      svg.box({corner.x + cell * static_cast<double>(begin), corner.y}, cell * static_cast<double>(end - begin),
              height, svg_shade(static_cast<double>(shade) / shades));
    begin = end;
  }
}

void draw_scale(Svg& svg, SvgPoint right_end, const HeatMap& map) {
  const double width = 120, left = right_end.x - width - 40;
  for (int i = 0; i <= shades; ++i)
    svg.box({left + width * i / (shades + 1), right_end.y - 9}, width / (shades + 1) + 0.4, 10,
            svg_shade(static_cast<double>(i) / shades));
  svg.frame({left, right_end.y - 9}, width, 10, {.colour = "#888888", .width = 0.5});
  svg.text({left - 6, right_end.y}, map.scale_label + "  0",
           {.anchor = SvgAnchor::end, .size = 11, .colour = svg_quiet_colour});
  svg.text({left + width + 5, right_end.y}, plain(map.scale_high, 1) + map.scale_unit,
           {.size = 11, .colour = svg_quiet_colour});
}

}  // namespace

double heat_map_height(std::size_t rows) {
  return map_margin_top + map_margin_bottom + row_height(rows) * static_cast<double>(rows);
}

void draw_heat_map(Svg& svg, SvgPoint corner, double width, const HeatMap& map) {
  std::size_t steps = 1;
  for (const HeatRow& row : map.rows) steps = std::max(steps, row.cells.size());
  const double left = corner.x + map_margin_left, top = corner.y + map_margin_top,
               high = row_height(map.rows.size());
  const double wide = width - map_margin_left - map_margin_right,
               total = high * static_cast<double>(map.rows.size());
  svg.text({left, top - 10}, map.title, {.size = 13, .bold = true});
  draw_scale(svg, {left + wide, top - 10}, map);
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = top + high * static_cast<double>(i);
    draw_row(svg, {left, y + 0.5}, wide, high - 1, map.rows[i], steps, map.scale_high);
    svg.text({left - 6, y + high / 2 + 4}, map.rows[i].name,
             {.anchor = SvgAnchor::end, .size = std::min(11.0, high), .colour = svg_quiet_colour});
  }
  svg.frame({left, top}, wide, total, {.colour = "#888888"});
  const Axis axis = make_axis(AxisKind::time, map.start_seconds,
                              map.start_seconds + map.step_seconds * static_cast<double>(steps), 9);
  for (const AxisMark& mark : axis.marks) {
    const double x = left + axis.fraction(mark.value) * wide;
    svg.line({x, top + total}, {x, top + total + 4}, {.colour = "#888888"});
    svg.text({x, top + total + 16}, mark.text,
             {.anchor = SvgAnchor::middle, .size = 11, .colour = svg_quiet_colour});
  }
  svg.text({left + wide / 2, top + total + 34}, "simulated time", {.anchor = SvgAnchor::middle});
}

}  // namespace dmm
