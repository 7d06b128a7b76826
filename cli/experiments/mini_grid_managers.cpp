// Figures 3 to 8 of Jones et al. 2004 with the managers, beside the model
// (simulator/experiments/mini_grid_managers.hpp).
#include <nlohmann/json.hpp>

#include "cli/experiments/experiments.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/experiments/mini_grid_managers.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

/// The managers simulate each message, so this is far less than the model's 400,000 jobs.
constexpr std::uint64_t managers_jobs_per_cluster = 500;

std::string rows_table(const std::vector<ManagersRow>& rows) {
  Table table({{"clusters", true},
               {"curve", false},
               {"penalty", true},
               {"managers [s]", true},
               {"model [s]", true},
               {"ratio", true},
               {"co-allocated", true},
               {"in the model", true},
               {"owners first [s]", true}});
  for (const ManagersRow& row : rows)
    table.add({std::to_string(row.managers.clusters), words_of(to_text(row.managers.curve)),
               decimal(row.managers.penalty, 2), decimal(row.managers.turnaround_seconds, 0),
               decimal(row.model.turnaround_seconds, 0),
               decimal(row.managers.turnaround_seconds / row.model.turnaround_seconds, 2),
               percent(row.managers.coallocated_share), percent(row.model.coallocated_share),
               row.owners_first_seconds > 0 ? decimal(row.owners_first_seconds, 0) : ""});
  return table.text({.colour = false, .unicode = true});
}

std::string rows_csv(const std::vector<ManagersRow>& rows) {
  std::string text =
      "clusters,curve,penalty,turnaround_seconds,model_turnaround_seconds,coallocated_share,"
      "model_coallocated_share,owners_first_turnaround_seconds,jobs\n";
  for (const ManagersRow& row : rows) {
    text += std::to_string(row.managers.clusters) + ',' + std::string(to_text(row.managers.curve));
    for (const double value :
         {row.managers.penalty, row.managers.turnaround_seconds, row.model.turnaround_seconds,
          row.managers.coallocated_share, row.model.coallocated_share, row.owners_first_seconds})
      text += ',' + plain(value, 4);
    text += ',' + std::to_string(row.managers.jobs) + '\n';
  }
  return text;
}

nlohmann::ordered_json rows_json(const std::vector<ManagersRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const ManagersRow& row : rows)
    all.push_back({{"clusters", row.managers.clusters},
                   {"curve", to_text(row.managers.curve)},
                   {"penalty", row.managers.penalty},
                   {"turnaround_seconds", row.managers.turnaround_seconds},
                   {"model_turnaround_seconds", row.model.turnaround_seconds},
                   {"coallocated_share", row.managers.coallocated_share},
                   {"model_coallocated_share", row.model.coallocated_share},
                   {"owners_first_turnaround_seconds", row.owners_first_seconds},
                   {"jobs", row.managers.jobs}});
  return {{"name", "mini-grid-managers"}, {"rows", std::move(all)}};
}

/// Bounds are flat lines.
LineChart chart_of(const std::vector<ManagersRow>& rows, std::uint32_t clusters) {
  LineChart chart;
  chart.title = count_text(clusters, "cluster");
  chart.x = {"run time of co-allocated jobs over that in one cluster", AxisKind::linear, 1.0, 1.5};
  chart.y = {"mean turnaround [s]", AxisKind::logarithmic, 100.0, 10'000.0};
  for (const bool is_model : {false, true})
    for (const MiniGridCurve curve :
         {MiniGridCurve::fixed_penalty, MiniGridCurve::migration_only, MiniGridCurve::no_sharing}) {
      ChartSeries series{words_of(to_text(curve)) + (is_model ? ", model" : ", managers"), {}, {}};
      for (const ManagersRow& row : rows) {
        const MiniGridRow& one = is_model ? row.model : row.managers;
        const bool is_first = curve == MiniGridCurve::fixed_penalty && one.curve == MiniGridCurve::no_penalty;
        if (one.clusters == clusters && (one.curve == curve || is_first))
          series.points.push_back({row.managers.penalty, one.turnaround_seconds, 0});
      }
      if (curve != MiniGridCurve::fixed_penalty && !series.points.empty())
        series.points.push_back({1.5, series.points[0].y, 0});
      chart.series.push_back(std::move(series));
    }
  return chart;
}

OtherResult run_managers(const MiniGridSettings& settings, const std::function<void(std::string)>& say) {
  const std::vector<ManagersRow> rows = mini_grid_managers(settings, [&](const ManagersRow& row) {
    say(count_text(row.managers.clusters, "cluster") + ", " + words_of(to_text(row.managers.curve)) +
        ", penalty " + decimal(row.managers.penalty, 2) + ": " + decimal(row.managers.turnaround_seconds, 0) +
        " s");
  });
  OtherResult result;
  result.text = rows_table(rows);
  result.json = rows_json(rows).dump(2);
  std::vector<LineChart> charts;
  for (const std::uint32_t clusters : settings.clusters) charts.push_back(chart_of(rows, clusters));
  result.files = {
      {"mini-grid-managers.csv", rows_csv(rows)},
      {"mini-grid-managers.txt", result.text},
      {"mini-grid-managers.json", result.json + "\n"},
      {"mini-grid-managers.svg", chart_document("Co-allocation in mini-grids: the managers and the model",
                                                grouped(settings.jobs_per_cluster) + " jobs a cluster, seed " +
                                                    std::to_string(settings.seed),
                                                charts, 2)}};
  return result;
}

}  // namespace

ExperimentPlan plan_mini_grid_managers(const ExperimentOptions& options) {
  MiniGridSettings settings;
  settings.jobs_per_cluster = options.jobs > 0 ? options.jobs : managers_jobs_per_cluster;
  settings.seed = options.choice.seed;
  settings.penalties = {1.1, 1.2, 1.3, 1.4};
  return OtherExperiment(
      [settings](const std::function<void(std::string)>& say) { return run_managers(settings, say); });
}

}  // namespace dmm
