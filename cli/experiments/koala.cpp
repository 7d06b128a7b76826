// Figures 3 to 5 of Mohamed and Epema 2005 (simulator/experiments/koala.hpp).
#include <nlohmann/json.hpp>

#include "cli/experiments/experiments.hpp"
#include "cli/experiments/placed_claims.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/experiments/koala.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

std::string hosts_of(bool is_unreliable) { return is_unreliable ? "unreliable" : "stable"; }
std::string priority_of(bool is_high) { return is_high ? "high" : "low"; }

std::string runs_table(const std::vector<KoalaRun>& runs) {
  Table table({{"hosts", false},
               {"jobs", true},
               {"finished", true},
               {"used", true},
               {"used locally", true},
               {"hours", true}});
  for (const KoalaRun& run : runs)
    table.add({hosts_of(run.is_unreliable), grouped(run.jobs), grouped(run.finished), percent(run.used),
               percent(run.used_locally), decimal(run.hours, 1)});
  return table.text({.colour = false, .unicode = true});
}

std::string rows_table(const std::vector<KoalaRow>& rows) {
  Table table({{"hosts", false},
               {"processors", true},
               {"components", true},
               {"priority", false},
               {"jobs", true},
               {"failed attempts", true},
               {"co-allocated", true},
               {"placement [s]", true},
               {"start delay [s]", true}});
  for (const KoalaRow& row : rows)
    table.add({hosts_of(row.is_unreliable), std::to_string(row.processors), std::to_string(row.components),
               priority_of(row.is_high), grouped(row.jobs), percent(row.failed_share),
               percent(row.coallocated_share), decimal(row.placement_seconds, 0),
               decimal(row.start_delay_seconds, 0)});
  return table.text({.colour = false, .unicode = true});
}

std::string rows_csv(const std::vector<KoalaRow>& rows) {
  std::string text =
      "hosts,processors,components,priority,jobs,finished,failed_share,coallocated_share,placement_seconds,"
      "start_delay_seconds\n";
  for (const KoalaRow& row : rows) {
    text += hosts_of(row.is_unreliable) + ',' + std::to_string(row.processors) + ',' +
            std::to_string(row.components) + ',' + priority_of(row.is_high) + ',' + std::to_string(row.jobs) +
            ',' + std::to_string(row.finished);
    for (const double value :
         {row.failed_share, row.coallocated_share, row.placement_seconds, row.start_delay_seconds})
      text += ',' + plain(value, 4);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json outcome_json(const KoalaOutcome& outcome) {
  auto rows = nlohmann::ordered_json::array(), runs = nlohmann::ordered_json::array();
  for (const KoalaRow& row : outcome.rows)
    rows.push_back({{"hosts", hosts_of(row.is_unreliable)},
                    {"processors", row.processors},
                    {"components", row.components},
                    {"priority", priority_of(row.is_high)},
                    {"jobs", row.jobs},
                    {"finished", row.finished},
                    {"failed_share", row.failed_share},
                    {"coallocated_share", row.coallocated_share},
                    {"placement_seconds", row.placement_seconds},
                    {"start_delay_seconds", row.start_delay_seconds}});
  for (const KoalaRun& run : outcome.runs)
    runs.push_back({{"hosts", hosts_of(run.is_unreliable)},
                    {"jobs", run.jobs},
                    {"finished", run.finished},
                    {"used", run.used},
                    {"used_locally", run.used_locally},
                    {"hours", run.hours}});
  return {{"name", "koala"},
          {"runs", std::move(runs)},
          {"rows", std::move(rows)},
          {"claims", placed_claims_json(outcome.claims)}};
}

/// A line for each size and priority, on unreliable hosts.
LineChart chart_of(const std::vector<KoalaRow>& rows, const std::string& title, const std::string& label,
                   double KoalaRow::*figure, double factor) {
  LineChart chart;
  chart.title = title;
  chart.x = {"components", AxisKind::linear, 2.0, 9.0};
  chart.y = {label, AxisKind::linear, 0.0};
  for (const std::uint32_t processors : {36U, 72U})
    for (const bool is_high : {true, false}) {
      ChartSeries series{
          std::to_string(processors) + " processors, " + priority_of(is_high) + " priority", {}, {}};
      for (const KoalaRow& row : rows)
        if (row.is_unreliable && row.processors == processors && row.is_high == is_high)
          series.points.push_back({static_cast<double>(row.components), row.*figure * factor, 0});
      chart.series.push_back(std::move(series));
    }
  return chart;
}

std::string figure_of(const KoalaSettings& settings, const std::vector<KoalaRow>& rows) {
  return chart_document(
      "Jobs with large files on clusters that fail",
      grouped(settings.jobs) + " jobs, seed " + std::to_string(settings.seed) + ", real managers in virtual time",
      {chart_of(rows, "Failures", "failed attempts [%]", &KoalaRow::failed_share, 100),
       chart_of(rows, "Co-allocation", "jobs in several clusters [%]", &KoalaRow::coallocated_share, 100),
       chart_of(rows, "Placement", "time until placed [s]", &KoalaRow::placement_seconds, 1),
       chart_of(rows, "Start delay", "start delay [s]", &KoalaRow::start_delay_seconds, 1)},
      2);
}

OtherResult run(const KoalaSettings& settings, const std::function<void(std::string)>& say) {
  const KoalaOutcome outcome = koala_experiment(settings, [&](bool is_unreliable, std::size_t ended) {
    say(hosts_of(is_unreliable) + " hosts: " + count_text(ended, "job") + " of " + grouped(settings.jobs) +
        " ended");
  });
  OtherResult result;
  result.text =
      runs_table(outcome.runs) + "\n" + rows_table(outcome.rows) + "\n" + placed_claims_table(outcome.claims);
  result.json = outcome_json(outcome).dump(2);
  result.files = {{"koala.csv", rows_csv(outcome.rows)},
                  {"koala.txt", result.text},
                  {"koala.json", result.json + "\n"},
                  {"koala.svg", figure_of(settings, outcome.rows)}};
  return result;
}

}  // namespace

ExperimentPlan plan_koala(const ExperimentOptions& options) {
  KoalaSettings settings;
  settings.seed = options.choice.seed;
  if (options.choice.workload.jobs_max > 0) settings.jobs = options.choice.workload.jobs_max;
  return OtherExperiment([settings](const std::function<void(std::string)>& say) { return run(settings, say); });
}

}  // namespace dmm
