#include "simulator/results/stacked_bars.hpp"

#include <numeric>

#include "simulator/results/numbers.hpp"
#include "simulator/results/svg.hpp"

namespace dmm {
namespace {

constexpr double bars_left = 126, bars_right = 170, bars_width = 960, bars_top = 96, bar = 17, pitch = 25;

void draw_bar(Svg& svg, double y, const StackedBar& row) {
  const double whole = std::accumulate(row.parts.begin(), row.parts.end(), 0.0);
  const double wide = bars_width - bars_left - bars_right;
  svg.text({bars_left - 8, y + bar - 4}, row.name, {.anchor = SvgAnchor::end});
  double x = bars_left;
  for (std::size_t i = 0; i < row.parts.size() && whole > 0; ++i) {
    const double share = row.parts[i] / whole, length = share * wide;
    if (length <= 0) continue;
    svg.box({x, y}, length, bar, svg_colour(i), fixed(100 * share, 1) + " %");
    if (length > 44)
      svg.text({x + length / 2, y + bar - 4.5}, fixed(100 * share, 1) + " %",
               {.anchor = SvgAnchor::middle, .size = 11, .colour = svg_colour_on(i)});
    x += length;
  }
  svg.text({bars_width - bars_right + 10, y + bar - 4}, row.amount, {.size = 11, .colour = svg_quiet_colour});
}

}  // namespace

std::string stacked_bars_document(const StackedBars& chart) {
  const double bottom = bars_top + pitch * static_cast<double>(chart.bars.size());
  Svg svg(bars_width, bottom + 52);
  svg.text({16, 24}, chart.title, {.size = 16, .bold = true});
  svg.text({16, 43}, chart.note, {.colour = svg_quiet_colour});
  double x = bars_left;
  for (std::size_t i = 0; i < chart.part_names.size(); ++i) {
    svg.box({x, 60}, 14, 14, svg_colour(i));
    svg.text({x + 20, 72}, chart.part_names[i]);
    x += 20 + svg_width_of(chart.part_names[i]) + 22;
  }
  for (int percent = 0; percent <= 100; percent += 20) {
    const double at = bars_left + (bars_width - bars_left - bars_right) * percent / 100;
    svg.line({at, bars_top - 8}, {at, bottom}, {.colour = "#e4e4e4"});
    svg.text({at, bottom + 16}, std::to_string(percent),
             {.anchor = SvgAnchor::middle, .size = 11, .colour = svg_quiet_colour});
  }
  for (std::size_t i = 0; i < chart.bars.size(); ++i)
    draw_bar(svg, bars_top + pitch * static_cast<double>(i), chart.bars[i]);
  svg.text({bars_left + (bars_width - bars_left - bars_right) / 2, bottom + 36}, chart.axis_label,
           {.anchor = SvgAnchor::middle});
  return svg.document(chart.title);
}

}  // namespace dmm
