// Figure 7 of Sonmez et al. 2006 (simulator/experiments/cm.hpp).
#include <nlohmann/json.hpp>

#include "cli/experiments/experiments.hpp"
#include "cli/experiments/placed_claims.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/experiments/cm.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"
#include "simulator/results/stacked_bars.hpp"

namespace dmm {
namespace {

std::string workload_of(const CmRow& row) { return row.gap_seconds > 60 ? "W1" : "W2"; }

std::string rows_table(const std::vector<CmRow>& rows) {
  Table table({{"workload", false},
               {"policy", false},
               {"response [s]", true},
               {"wait [s]", true},
               {"execution [s]", true},
               {"combined", true},
               {"in one", true},
               {"used", true},
               {"used locally", true},
               {"finished", true}});
  for (const CmRow& row : rows)
    table.add({workload_of(row), std::string(row.policy), decimal(row.response_seconds, 0),
               decimal(row.wait_seconds, 0), decimal(row.execution_seconds, 0), decimal(row.clusters, 2),
               percent(row.cluster_shares.front()), percent(row.used), percent(row.used_locally),
               grouped(row.finished) + " of " + grouped(row.jobs)});
  return table.text({.colour = false, .unicode = true});
}

std::string rows_csv(const std::vector<CmRow>& rows) {
  std::string text =
      "workload,policy,response_seconds,wait_seconds,execution_seconds,clusters,used,used_locally,jobs,finished";
  for (std::size_t i = 1; i <= rows.front().cluster_shares.size(); ++i) text += ",in_" + std::to_string(i);
  text += '\n';
  for (const CmRow& row : rows) {
    text += workload_of(row) + ',' + std::string(row.policy);
    for (const double value :
         {row.response_seconds, row.wait_seconds, row.execution_seconds, row.clusters, row.used, row.used_locally})
      text += ',' + plain(value, 4);
    text += ',' + std::to_string(row.jobs) + ',' + std::to_string(row.finished);
    for (const double share : row.cluster_shares) text += ',' + plain(share, 4);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json outcome_json(const CmOutcome& outcome) {
  auto rows = nlohmann::ordered_json::array();
  for (const CmRow& row : outcome.rows)
    rows.push_back({{"workload", workload_of(row)},
                    {"policy", row.policy},
                    {"response_seconds", row.response_seconds},
                    {"wait_seconds", row.wait_seconds},
                    {"execution_seconds", row.execution_seconds},
                    {"clusters", row.clusters},
                    {"cluster_shares", row.cluster_shares},
                    {"used", row.used},
                    {"used_locally", row.used_locally},
                    {"jobs", row.jobs},
                    {"finished", row.finished}});
  return {{"name", "cm"}, {"rows", std::move(rows)}, {"claims", placed_claims_json(outcome.claims)}};
}

std::string figure_of(const CmSettings& settings, const std::vector<CmRow>& rows) {
  StackedBars chart;
  chart.title = "Response of jobs on five clusters, by placement policy";
  chart.note = count_text(settings.repetitions, "repetition") + " of " + grouped(settings.jobs) +
               " jobs, real managers in virtual time; W1: a job in 80 s, W2: in 40 s";
  chart.axis_label = "wait and execution, of the response";
  chart.part_names = {"wait", "execution"};
  for (const CmRow& row : rows)
    chart.bars.push_back({workload_of(row) + ", " + words_of(row.policy),
                          {row.wait_seconds, row.execution_seconds},
                          decimal(row.response_seconds, 0) + " s"});
  return stacked_bars_document(chart);
}

/// The slowdowns that this experiment assumes from measurements.
std::string slowdowns_figure(const CmSettings& settings) {
  LineChart chart;
  chart.x = {"clusters", AxisKind::linear, 1.0, 5.0};
  chart.y = {"run time over that in one cluster", AxisKind::linear, 0.0};
  const auto add = [&](const char* name, const std::vector<double>& slowdowns) {
    ChartSeries series{name, {{1, 1, 0}}, {}};
    for (std::size_t i = 0; i < slowdowns.size(); ++i)
      series.points.push_back({static_cast<double>(i + 2), slowdowns[i], 0});
    chart.series.push_back(std::move(series));
  };
  add("laplace", settings.laplace_slowdowns);
  add("heat", settings.heat_slowdowns);
  return chart_document("Run time by clusters", "measured by bench/cm.py", {chart}, 1);
}

OtherResult run(const CmSettings& settings, const std::function<void(std::string)>& say) {
  const CmOutcome outcome = cm_experiment(settings, [&](const CmRow& row) {
    say(workload_of(row) + ", " + words_of(row.policy) + ": " + decimal(row.response_seconds, 0) + " s");
  });
  OtherResult result;
  result.text = rows_table(outcome.rows) + "\n" + placed_claims_table(outcome.claims);
  result.json = outcome_json(outcome).dump(2);
  result.files = {{"cm.csv", rows_csv(outcome.rows)},
                  {"cm.txt", result.text},
                  {"cm.json", result.json + "\n"},
                  {"cm.svg", figure_of(settings, outcome.rows)},
                  {"cm-slowdowns.svg", slowdowns_figure(settings)}};
  return result;
}

}  // namespace

ExperimentPlan plan_cm(const ExperimentOptions& options) {
  CmSettings settings;
  settings.seed = options.choice.seed;
  if (options.choice.workload.jobs_max > 0) settings.jobs = options.choice.workload.jobs_max;
  if (options.repetitions > 0) settings.repetitions = options.repetitions;
  return OtherExperiment([settings](const std::function<void(std::string)>& say) { return run(settings, say); });
}

}  // namespace dmm
