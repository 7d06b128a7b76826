#include "simulator/results/plots.hpp"

#include <algorithm>
#include <numeric>

#include "simulator/results/heat_map.hpp"
#include "simulator/results/numbers.hpp"
#include "simulator/results/stacked_bars.hpp"

namespace dmm {
namespace {

constexpr std::size_t lines_max = 7;  ///< in one chart
constexpr std::size_t rows_max = 60;  ///< in one map
constexpr std::size_t bars_max = 40;
constexpr double plot_width = 960, chart_height = 300;

/// The clusters of a map: all, or the largest, in their order.
std::vector<std::uint32_t> shown_clusters(const Grid& grid, std::size_t most) {
  std::vector<std::uint32_t> shown(grid.clusters.size());
  std::iota(shown.begin(), shown.end(), 0u);
  if (shown.size() <= most) return shown;
  std::stable_sort(shown.begin(), shown.end(), [&](std::uint32_t a, std::uint32_t b) {
    return grid.clusters[a].processors > grid.clusters[b].processors;
  });
  shown.resize(most);
  std::sort(shown.begin(), shown.end());
  return shown;
}

/// The sum of one quantity over a group's clusters in a bucket. The quantity's columns begin at `offset`.
double sum_of(const PlotInput& input, const GridGroup& group, std::size_t bucket, std::size_t offset) {
  double sum = 0;
  for (const std::uint32_t cluster : group.clusters) sum += input.course.mean(bucket, offset + cluster);
  return sum;
}

GridGroup all_of(const Grid& grid) {
  GridGroup all{"all", std::vector<std::uint32_t>(grid.clusters.size()), grid.processors()};
  std::iota(all.clusters.begin(), all.clusters.end(), 0u);
  return all;
}

/// The grids that get a line each. Where there are several, their total comes first.
std::vector<GridGroup> line_groups(const PlotInput& input) {
  std::vector<GridGroup> groups = input.groups;
  if (groups.size() > lines_max - 1) groups.clear();
  if (groups.size() != 1) groups.insert(groups.begin(), all_of(input.grid));
  return groups;
}

std::vector<ChartSeries> series_of(const PlotInput& input, std::size_t offset, bool in_percent) {
  std::vector<ChartSeries> all;
  for (const GridGroup& group : line_groups(input)) {
    ChartSeries series{group.name, {}, {}};
    const double scale =
        in_percent ? 100.0 / static_cast<double>(std::max<std::uint64_t>(1, group.processors)) : 1.0;
    for (std::size_t bucket = 0; bucket < input.course.size(); ++bucket)
      series.points.push_back({input.course.start_seconds(bucket), scale * sum_of(input, group, bucket, offset)});
    all.push_back(std::move(series));
  }
  return all;
}

HeatMap map_of(const PlotInput& input, std::size_t offset, bool in_percent) {
  HeatMap map;
  map.step_seconds = input.course.step_seconds();
  if (input.course.size() > 0) map.start_seconds = input.course.start_seconds(0);
  double high = 0;
  for (const std::uint32_t cluster : shown_clusters(input.grid, rows_max)) {
    HeatRow row{input.grid.clusters[cluster].name, {}};
    const double scale =
        in_percent ? 100.0 / std::max<std::uint32_t>(1, input.grid.clusters[cluster].processors) : 1.0;
    for (std::size_t bucket = 0; bucket < input.course.size(); ++bucket) {
      row.cells.push_back(scale * input.course.mean(bucket, offset + cluster));
      high = std::max(high, row.cells.back());
    }
    map.rows.push_back(std::move(row));
  }
  map.scale_high = in_percent ? 100 : std::max(1.0, high);
  return map;
}

std::string course_plot(const PlotInput& input, const std::string& what, LineChart chart, const HeatMap& map) {
  chart.x = {"simulated time", AxisKind::time, {}, {}};
  chart.signs = false;
  Svg measure(plot_width, 0);
  const double legend =
      chart.series.size() > 1 ? draw_legend(measure, {0, 0}, plot_width - 40, chart.series, false) : 0;
  const bool with_map = input.grid.clusters.size() > 1;
  const double top = 54 + legend;
  Svg svg(plot_width, top + chart_height + (with_map ? heat_map_height(map.rows.size()) : 0) + 6);
  svg.text({16, 24}, what, {.size = 16, .bold = true});
  const std::string left_out = map.rows.size() < input.grid.clusters.size()
                                   ? "; the " + std::to_string(map.rows.size()) + " largest of " +
                                         std::to_string(input.grid.clusters.size()) + " clusters"
                                   : "";
  svg.text({16, 43}, input.title + left_out, {.colour = "#555555"});
  if (legend > 0) draw_legend(svg, {16, 64}, plot_width - 40, chart.series, false);
  draw_chart(svg, {48, top}, plot_width - 48, chart_height, chart);
  if (with_map) draw_heat_map(svg, {0, top + chart_height}, plot_width, map);
  return svg.document(what + ": " + input.title);
}

StackedBar bar_of(const std::string& name, const HomeFigures& figures) {
  const double hours = figures.goodput() / 3600;
  return {
      name,
      {figures.goodput_processor_seconds.begin(), figures.goodput_processor_seconds.end()},
      (hours < 100 ? fixed(hours, 1) : with_commas(static_cast<std::uint64_t>(hours + 0.5))) + " processor-hours"};
}

}  // namespace

std::string utilisation_plot(const PlotInput& input) {
  LineChart chart;
  chart.title = "By grid";
  chart.y = {"busy processors [%]", AxisKind::linear, 0.0, 100.0};
  chart.series = series_of(input, 0, true);
  HeatMap map = map_of(input, 0, true);
  map.title = "By cluster";
  map.scale_label = "busy";
  map.scale_unit = " %";
  return course_plot(input, "Utilisation", std::move(chart), map);
}

std::string waiting_plot(const PlotInput& input) {
  const std::size_t offset = input.grid.clusters.size();
  LineChart chart;
  chart.title = "By grid";
  chart.y = {"waiting jobs", AxisKind::linear, 0.0, {}};
  chart.series = series_of(input, offset, false);
  HeatMap map = map_of(input, offset, false);
  map.title = "By cluster where they were submitted";
  map.scale_label = "waiting jobs";
  return course_plot(input, "Waiting jobs", std::move(chart), map);
}

std::string waits_plot(const PlotInput& input) {
  LineChart chart;
  chart.title = "Finished jobs by their wait";
  chart.x = {"wait, at most", AxisKind::time_logarithmic, 1.0, {}};
  chart.y = {"share of jobs [%]", AxisKind::linear, 0.0, 100.0};
  chart.signs = false;
  const std::size_t all = input.groups.size();
  chart.series.push_back({"all", input.waits[all].curve(), {}});
  if (all > 1 && all < lines_max)
    for (std::size_t i = 0; i < all; ++i)
      chart.series.push_back({input.groups[i].name, input.waits[i].curve(), {}});
  double longest = 60;
  for (const ChartSeries& series : chart.series)
    if (!series.points.empty()) longest = std::max(longest, series.points.back().x);
  for (ChartSeries& series : chart.series)
    if (!series.points.empty()) series.points.push_back({longest, series.points.back().y});
  return chart_document("Waits", input.title + "; what waited less than a second is at the left edge", {chart}, 1);
}

std::string goodput_plot(const PlotInput& input) {
  StackedBars chart{"Goodput by owner of the processors",
                    input.title + "; rows are the homes of the jobs",
                    "share of the goodput of finished jobs [%]",
                    {"local", "intra-site", "intra-grid", "inter-grid"},
                    {}};
  HomeFigures all;
  for (const HomeFigures& home : input.homes) all += home;
  chart.bars.push_back(bar_of("all", all));
  for (const GridGroup& group : input.groups) {
    if (input.groups.size() == 1 || input.groups.size() > bars_max) break;
    HomeFigures sum;
    for (const std::uint32_t cluster : group.clusters) sum += input.homes[cluster];
    chart.bars.push_back(bar_of(group.name, sum));
  }
  if (input.grid.clusters.size() > 1)
    for (const std::uint32_t cluster : shown_clusters(input.grid, bars_max))
      chart.bars.push_back(bar_of(input.grid.clusters[cluster].name, input.homes[cluster]));
  return stacked_bars_document(chart);
}

}  // namespace dmm
