// Table 1 and figure 3 of Netto et al. (simulator/experiments/idle_nodes.hpp), with local jobs from the
// Lublin-Feitelson model, or from a log (--workload) on as many nodes as the system has processors.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/experiments/experiments.hpp"
#include "cli/terminal/figures.hpp"
#include "simulator/experiments/idle_nodes.hpp"
#include "simulator/results/line_chart.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

std::string rows_table(const std::vector<IdleNodesRow>& rows) {
  Table table({{"local load", true},
               {"nodes", true},
               {"task [min]", true},
               {"turnaround [min]", true},
               {"median", true},
               {"least to most", true},
               {"in the paper", true},
               {"local use", true},
               {"aborted", true}});
  for (const IdleNodesRow& row : rows)
    table.add({row.load > 0 ? percent(row.load) : "none", std::to_string(row.nodes),
               std::to_string(row.task_minutes), decimal(row.turnaround_minutes, 0),
               decimal(row.median_minutes, 0),
               decimal(row.least_minutes, 0) + " to " + decimal(row.most_minutes, 0),
               row.paper_minutes > 0 ? decimal(row.paper_minutes, 0) : "", percent(row.local_utilisation),
               decimal(row.preemptions, 0)});
  return table.text({.colour = false, .unicode = true});
}

std::string rows_csv(const std::vector<IdleNodesRow>& rows) {
  std::string text =
      "load,nodes,task_minutes,turnaround_minutes,median_minutes,least_minutes,most_minutes,local_utilisation,"
      "preemptions,lost_share,paper_minutes\n";
  for (const IdleNodesRow& row : rows) {
    text += plain(row.load, 4) + ',' + std::to_string(row.nodes) + ',' + std::to_string(row.task_minutes);
    for (const double value : {row.turnaround_minutes, row.median_minutes, row.least_minutes, row.most_minutes,
                               row.local_utilisation, row.preemptions, row.lost_share, row.paper_minutes})
      text += ',' + plain(value, 4);
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json rows_json(const std::vector<IdleNodesRow>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const IdleNodesRow& row : rows)
    all.push_back({{"load", row.load},
                   {"nodes", row.nodes},
                   {"task_minutes", row.task_minutes},
                   {"turnaround_minutes", row.turnaround_minutes},
                   {"median_minutes", row.median_minutes},
                   {"least_minutes", row.least_minutes},
                   {"most_minutes", row.most_minutes},
                   {"local_utilisation", row.local_utilisation},
                   {"preemptions", row.preemptions},
                   {"lost_share", row.lost_share},
                   {"paper_minutes", row.paper_minutes}});
  return {{"name", "idle-nodes"}, {"rows", std::move(all)}};
}

/// A line for each load.
LineChart chart_of(const IdleNodesSettings& settings, const std::vector<IdleNodesRow>& rows,
                   const std::string& title, double IdleNodesRow::*figure) {
  LineChart chart;
  chart.title = title;
  chart.x = {"length of a task [min]", AxisKind::linear, 0.0, {}, {}};
  chart.y = {"turnaround of the bag [min]", AxisKind::logarithmic, {}, {}, {}};
  for (std::size_t i = 0; i < settings.loads.size(); ++i) {
    ChartSeries ours{"local load " + percent(settings.loads[i]), {}, i};
    for (const IdleNodesRow& row : rows)
      if (row.load == settings.loads[i])
        ours.points.push_back({static_cast<double>(row.task_minutes), row.*figure, 0});
    chart.series.push_back(std::move(ours));
  }
  return chart;
}

std::string figure_of(const IdleNodesSettings& settings, const std::vector<IdleNodesRow>& rows) {
  return chart_document(grouped(settings.work_minutes) + " node-minutes of tasks on the idle nodes of " +
                            count_text(settings.nodes, "node"),
                        count_text(settings.repetitions, "bag") +
                            " for each point; a few of them meet a cluster that is full for days",
                        {chart_of(settings, rows, "Mean", &IdleNodesRow::turnaround_minutes),
                         chart_of(settings, rows, "Median", &IdleNodesRow::median_minutes)},
                        2);
}

OtherResult run(const IdleNodesSettings& settings, const LocalJobs& local,
                const std::function<void(std::string)>& say) {
  const std::vector<IdleNodesRow> rows = idle_nodes(settings, local, [&](const IdleNodesRow& row) {
    say("local load " + percent(row.load) + ", tasks of " + count_text(row.task_minutes, "minute") + ": " +
        decimal(row.turnaround_minutes, 0) + " min");
  });
  OtherResult result;
  result.text = rows_table(rows);
  result.json = rows_json(rows).dump(2);
  result.files = {{"idle-nodes.csv", rows_csv(rows)},
                  {"idle-nodes.txt", result.text},
                  {"idle-nodes.json", result.json + "\n"},
                  {"idle-nodes.svg", figure_of(settings, rows)}};
  return result;
}

/// The jobs of a log. To change its load, the times between submissions are changed.
OrFault<LocalJobs, CommandFault> jobs_of_log(const SimulationChoice& choice, IdleNodesSettings& settings) {
  auto input = prepare_simulation(choice);
  if (auto* fault = std::get_if<CommandFault>(&input)) return *fault;
  auto open = std::get<SimulationInput>(input).workload.open();
  if (auto* fault = std::get_if<CommandFault>(&open)) return *fault;
  OpenWorkload& workload = std::get<OpenWorkload>(open);
  std::vector<StreamJob> jobs;
  while (std::optional<StreamJob> job = workload.jobs()) jobs.push_back(*job);
  if (workload.replay && !workload.replay->error().empty()) return CommandFault{workload.replay->error(), 2};
  if (jobs.size() < 2 || jobs.front().submit == jobs.back().submit)
    return CommandFault{"--workload: idle-nodes wants jobs that are submitted at two times at least", 2};
  settings.nodes = static_cast<std::uint32_t>(std::get<SimulationInput>(input).grid.processors());
  if (std::ranges::any_of(jobs, [&](const StreamJob& job) { return job.processors > settings.nodes; }))
    return CommandFault{"--workload: a job wants more than all " + count_text(settings.nodes, "node"), 2};
  settings.repetitions = 1;
  return scaled_local_jobs(std::move(jobs), settings.nodes, {});
}

}  // namespace

ExperimentPlan plan_idle_nodes(const ExperimentOptions& options) {
  IdleNodesSettings settings;
  if (!options.loads.empty()) settings.loads = options.loads;
  if (options.repetitions > 0) settings.repetitions = options.repetitions;
  if (options.work_minutes > 0) settings.work_minutes = options.work_minutes;
  if (options.bag_at_minutes) settings.submit = seconds(60 * std::int64_t{*options.bag_at_minutes});
  LocalJobs local = lublin_local_jobs(settings.nodes, options.choice.seed);
  if (!options.choice.workload.logs.empty()) {
    auto jobs = jobs_of_log(options.choice, settings);
    if (auto* fault = std::get_if<CommandFault>(&jobs)) return *fault;
    local = std::move(std::get<LocalJobs>(jobs));
  }
  return OtherExperiment(
      [settings, local](const std::function<void(std::string)>& say) { return run(settings, local, say); });
}

}  // namespace dmm
