// Figures 3 to 8 of Jones et al. 2004 and the acceptable penalties of its section 6.1, as tables and line charts
// (simulator/experiments/mini_grid.hpp).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/experiments/experiments.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/experiments/mini_grid.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

std::string rows_csv(const std::vector<MiniGridRow>& rows) {
  std::string text =
      "clusters,curve,bisection_megabits,penalty,turnaround_seconds,standard_error_seconds,coallocated_share,"
      "jobs\n";
  for (const MiniGridRow& row : rows)
    text += std::to_string(row.clusters) + ',' + std::string(to_text(row.curve)) + ',' +
            plain(row.bisection_megabits, 3) + ',' + plain(row.penalty, 6) + ',' +
            plain(row.turnaround_seconds, 3) + ',' + plain(row.standard_error_seconds, 3) + ',' +
            plain(row.coallocated_share, 6) + ',' + std::to_string(row.jobs) + '\n';
  return text;
}

std::string rows_table(const std::vector<MiniGridRow>& rows) {
  Table table({{"clusters", true},
               {"curve"},
               {"bisection [Mbit/s]", true},
               {"penalty", true},
               {"turnaround [s]", true},
               {"co-allocated", true}});
  for (const MiniGridRow& row : rows)
    table.add({std::to_string(row.clusters), words_of(to_text(row.curve)),
               row.bisection_megabits > 0 ? decimal(row.bisection_megabits, 0) : "", decimal(row.penalty, 3),
               decimal(row.turnaround_seconds, 0) + " ± " + decimal(2 * row.standard_error_seconds, 0),
               percent(row.coallocated_share)});
  return table.text({.colour = false, .unicode = true});
}

const MiniGridReference* reference_of(std::uint32_t clusters) {
  for (const MiniGridReference& reference : mini_grid_references())
    if (reference.clusters == clusters) return &reference;
  return nullptr;
}

std::string crossings_table(const std::vector<MiniGridCrossing>& crossings) {
  Table table({{"clusters", true}, {"curve"}, {"against"}, {"acceptable penalty", true}, {"in the paper", true}});
  for (const MiniGridCrossing& crossing : crossings) {
    const MiniGridReference* reference = reference_of(crossing.clusters);
    const bool migration = crossing.bound == MiniGridCurve::migration_only;
    const double least =
        reference ? (migration ? reference->paper_migration_least : reference->paper_no_sharing_least) : 0;
    const double most =
        reference ? (migration ? reference->paper_migration_most : reference->paper_no_sharing_most) : 0;
    table.add({std::to_string(crossing.clusters), words_of(to_text(crossing.curve)),
               words_of(to_text(crossing.bound)), crossing.penalty > 0 ? decimal(crossing.penalty, 3) : "none",
               most > 0 ? decimal(least, 2) + " to " + decimal(most, 2) : "not stated"});
  }
  return table.text({.colour = false, .unicode = true});
}

/// The curves for one number of clusters; bounds are flat lines.
LineChart chart_of(const std::vector<MiniGridRow>& rows, std::uint32_t clusters) {
  LineChart chart;
  chart.title = count_text(clusters, "cluster");
  chart.x = {"run time of co-allocated jobs over that in one cluster", AxisKind::linear, 1.0, 1.5};
  chart.y = {"mean turnaround [s]", AxisKind::logarithmic, 100.0, 10'000.0};
  for (const MiniGridCurve curve :
       {MiniGridCurve::shared_links, MiniGridCurve::fixed_penalty, MiniGridCurve::fed_penalty,
        MiniGridCurve::migration_only, MiniGridCurve::no_sharing, MiniGridCurve::no_penalty}) {
    ChartSeries series{words_of(to_text(curve)), {}, {}};
    for (const MiniGridRow& row : rows)
      if (row.clusters == clusters && row.curve == curve && row.penalty <= 1.5 && row.turnaround_seconds <= 10'000)
        series.points.push_back({row.penalty, row.turnaround_seconds, 2 * row.standard_error_seconds});
    const bool bound = curve != MiniGridCurve::shared_links && curve != MiniGridCurve::fixed_penalty &&
                       curve != MiniGridCurve::fed_penalty;
    if (bound && !series.points.empty())
      series.points = {{1.0, series.points[0].y, 0}, {1.5, series.points[0].y, 0}};
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    chart.series.push_back(std::move(series));
  }
  return chart;
}

nlohmann::ordered_json rows_json(const std::vector<MiniGridRow>& rows,
                                 const std::vector<MiniGridCrossing>& crossings) {
  auto all = nlohmann::ordered_json::array();
  for (const MiniGridRow& row : rows)
    all.push_back({{"clusters", row.clusters},
                   {"curve", to_text(row.curve)},
                   {"bisection_megabits", row.bisection_megabits},
                   {"penalty", row.penalty},
                   {"turnaround_seconds", row.turnaround_seconds},
                   {"standard_error_seconds", row.standard_error_seconds},
                   {"coallocated_share", row.coallocated_share},
                   {"jobs", row.jobs}});
  auto cuts = nlohmann::ordered_json::array();
  for (const MiniGridCrossing& crossing : crossings)
    cuts.push_back({{"clusters", crossing.clusters},
                    {"curve", to_text(crossing.curve)},
                    {"bound", to_text(crossing.bound)},
                    {"penalty", crossing.penalty}});
  return {{"name", "mini-grid"}, {"rows", std::move(all)}, {"crossings", std::move(cuts)}};
}

OtherResult run(const MiniGridSettings& settings, const std::function<void(std::string)>& say) {
  const std::vector<MiniGridRow> rows = mini_grid(settings, [&](const MiniGridRow& row) {
    say(count_text(row.clusters, "cluster") + ", " + words_of(to_text(row.curve)) + ", penalty " +
        decimal(row.penalty, 2) + ": " + decimal(row.turnaround_seconds, 0) + " s");
  });
  const std::vector<MiniGridCrossing> crossings = mini_grid_crossings(rows);
  OtherResult result;
  result.text = rows_table(rows) + "\n" + crossings_table(crossings);
  result.json = rows_json(rows, crossings).dump(2);
  std::vector<LineChart> charts;
  for (const std::uint32_t clusters : settings.clusters) charts.push_back(chart_of(rows, clusters));
  result.files = {
      {"mini-grid.csv", rows_csv(rows)},
      {"mini-grid.txt", result.text},
      {"mini-grid.json", result.json + "\n"},
      {"mini-grid.svg", chart_document("Co-allocation in mini-grids",
                                       grouped(settings.jobs_per_cluster) + " jobs a cluster, seed " +
                                           std::to_string(settings.seed) + "; bars are two standard errors",
                                       charts, 2)}};
  return result;
}

}  // namespace

ExperimentPlan plan_mini_grid(const ExperimentOptions& options) {
  MiniGridSettings settings;
  settings.seed = options.choice.seed;
  if (options.jobs > 0) settings.jobs_per_cluster = options.jobs;
  return OtherExperiment([settings](const std::function<void(std::string)>& say) { return run(settings, say); });
}

}  // namespace dmm
