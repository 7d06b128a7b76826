#include "simulator/results/line_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dmm {
namespace {

constexpr std::string_view grid_colour = "#e4e4e4";
constexpr std::string_view frame_colour = "#888888";
constexpr double chart_margin_left = 62, chart_margin_right = 14, chart_margin_top = 26, chart_margin_bottom = 42;

std::string_view dashes_of(std::size_t colour) {
  static constexpr std::array<std::string_view, 4> dashes{"", "7 3", "2 3", "9 3 2 3"};
  return dashes[colour % dashes.size()];
}

std::size_t colour_of(const std::vector<ChartSeries>& series, std::size_t i) {
  return series[i].colour.value_or(i);
}

Axis axis_of(const AxisWish& wish, const std::vector<ChartSeries>& series, bool vertical, int marks) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double lowest_above_zero = std::numeric_limits<double>::infinity();
  for (const ChartSeries& one : series)
    for (const ChartPoint& point : one.points) {
      const double value = vertical ? point.y : point.x;
      // The interval of a mean of few repetitions can be so wide that it would hide everything else.
      const double error = vertical ? std::min(point.error, std::abs(value)) : 0;
      low = std::min(low, value - (wish.kind == AxisKind::linear ? error : 0));
      high = std::max(high, value + error);
      if (value > 0) lowest_above_zero = std::min(lowest_above_zero, value);
    }
  if (!(low <= high)) low = 0, high = 1;
  if (wish.kind == AxisKind::logarithmic && low <= 0 && std::isfinite(lowest_above_zero)) low = lowest_above_zero;
  if (vertical && wish.kind == AxisKind::linear && low < 0) low = std::min(0.0, low);
  Axis axis = make_axis(wish.kind, wish.low.value_or(low), wish.high.value_or(high), marks);
  if (wish.marks.empty()) return axis;
  axis.marks = wish.marks;
  axis.low = wish.low.value_or(axis.low);
  axis.high = wish.high.value_or(axis.high);
  return axis;
}

/// The area of the chart inside its margins.
struct Plot {
  SvgPoint corner;
  double width, height;
  Axis x, y;

  SvgPoint place(double at_x, double at_y) const {
    return {corner.x + x.fraction(at_x) * width, corner.y + (1 - y.fraction(at_y)) * height};
  }
};

void draw_frame(Svg& svg, const Plot& plot, const LineChart& chart) {
  const double bottom = plot.corner.y + plot.height, right = plot.corner.x + plot.width;
  double last_label_end = -1e9;
  for (const AxisMark& mark : plot.x.marks) {
    const double x = plot.place(mark.value, 0).x;
    svg.line({x, plot.corner.y}, {x, bottom}, {.colour = grid_colour});
    const double half = svg_width_of(mark.text, 11) / 2;
    if (x - half < last_label_end + 4) continue;  // no room
    last_label_end = x + half;
    svg.text({x, bottom + 15}, mark.text, {.anchor = SvgAnchor::middle, .size = 11, .colour = svg_quiet_colour});
  }
  for (const AxisMark& mark : plot.y.marks) {
    const double y = plot.place(0, mark.value).y;
    svg.line({plot.corner.x, y}, {right, y}, {.colour = grid_colour});
    svg.text({plot.corner.x - 6, y + 4}, mark.text,
             {.anchor = SvgAnchor::end, .size = 11, .colour = svg_quiet_colour});
  }
  svg.frame(plot.corner, plot.width, plot.height, {.colour = frame_colour});
  svg.text({plot.corner.x + plot.width / 2, bottom + 33}, chart.x.label, {.anchor = SvgAnchor::middle});
  svg.text({plot.corner.x - chart_margin_left + 13, plot.corner.y + plot.height / 2}, chart.y.label,
           {.anchor = SvgAnchor::middle, .upwards = true});
  svg.text({plot.corner.x, plot.corner.y - 9}, chart.title, {.size = 13, .bold = true});
}

void draw_error(Svg& svg, const Plot& plot, const ChartPoint& point, std::string_view colour) {
  const SvgPoint top = plot.place(point.x, point.y + point.error),
                 low = plot.place(point.x, point.y - point.error);
  svg.line(top, low, {.colour = colour});
  const auto inside = [&](double value) { return value >= plot.y.low && value <= plot.y.high; };
  if (inside(point.y + point.error)) svg.line({top.x - 3, top.y}, {top.x + 3, top.y}, {.colour = colour});
  if (inside(point.y - point.error)) svg.line({low.x - 3, low.y}, {low.x + 3, low.y}, {.colour = colour});
}

void draw_series(Svg& svg, const Plot& plot, const ChartSeries& series, std::size_t colour,
                 const LineChart& chart) {
  const bool signs = chart.signs;
  std::vector<SvgPoint> line;
  for (const ChartPoint& point : series.points) line.push_back(plot.place(point.x, point.y));
  const std::string_view ink = svg_colour(colour);
  if (line.size() > 1 && chart.lines)
    svg.polyline(line, {.colour = ink, .width = 1.8, .dashes = signs ? std::string_view() : dashes_of(colour)});
  for (const ChartPoint& point : series.points)
    if (point.error > 0) draw_error(svg, plot, point, ink);
  if (signs || line.size() == 1)
    for (const SvgPoint& at : line) svg.sign(at, colour, ink);
}

}  // namespace

void draw_chart(Svg& svg, SvgPoint corner, double width, double height, const LineChart& chart) {
  const Plot plot{{corner.x + chart_margin_left, corner.y + chart_margin_top},
                  width - chart_margin_left - chart_margin_right,
                  height - chart_margin_top - chart_margin_bottom,
                  axis_of(chart.x, chart.series, false, static_cast<int>(width / 90)),
                  axis_of(chart.y, chart.series, true, static_cast<int>(height / 50))};
  draw_frame(svg, plot, chart);
  // The first series matters most, so it is drawn last, on top.
  for (std::size_t i = chart.series.size(); i > 0; --i)
    draw_series(svg, plot, chart.series[i - 1], colour_of(chart.series, i - 1), chart);
}

double draw_legend(Svg& svg, SvgPoint corner, double width, const std::vector<ChartSeries>& series, bool signs) {
  double x = corner.x, y = corner.y;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double needed = 34 + svg_width_of(series[i].name) + 18;
    if (x > corner.x && x + needed > corner.x + width) x = corner.x, y += 18;
    const std::size_t colour = colour_of(series, i);
    svg.line(
        {x, y}, {x + 28, y},
        {.colour = svg_colour(colour), .width = 1.8, .dashes = signs ? std::string_view() : dashes_of(colour)});
    if (signs) svg.sign({x + 14, y}, colour, svg_colour(colour));
    svg.text({x + 34, y + 4}, series[i].name);
    x += needed;
  }
  return y - corner.y + 18;
}

std::string chart_document(const std::string& title, const std::string& note, const std::vector<LineChart>& charts,
                           std::size_t columns) {
  columns = std::clamp<std::size_t>(columns, 1, std::max<std::size_t>(1, charts.size()));
  const double chart_width = columns == 1 ? 880 : 470, chart_height = columns == 1 ? 300 : 290;
  const double width = chart_width * static_cast<double>(columns) + 20;
  Svg measure(width, 0);
  const bool signs = !charts.empty() && charts.front().signs;
  const std::vector<ChartSeries> none;
  const auto& series = charts.empty() ? none : charts.front().series;
  const bool legend = series.size() > 1 || (series.size() == 1 && !series.front().name.empty());
  const double legend_height = legend ? draw_legend(measure, {0, 0}, width - 40, series, signs) : 0;
  const double top = 58 + legend_height;
  const std::size_t rows = (charts.size() + columns - 1) / columns;
  Svg svg(width, top + chart_height * static_cast<double>(rows) + 6);
  svg.text({16, 24}, title, {.size = 16, .bold = true});
  svg.text({16, 43}, note, {.size = 12, .colour = svg_quiet_colour});
  if (legend) draw_legend(svg, {16, 64}, width - 40, series, signs);
  for (std::size_t i = 0; i < charts.size(); ++i)
    draw_chart(svg,
               {8 + chart_width * static_cast<double>(i % columns),
                top + chart_height * static_cast<double>(i / columns)},
               chart_width, chart_height, charts[i]);
  return svg.document(title);
}

}  // namespace dmm
