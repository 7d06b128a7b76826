#include "cli/simulate/simulate_report.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/report_lines.hpp"

namespace dmm {
namespace {

std::uint64_t total_of(const MessageCounts& messages) {
  return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0});
}

void add_times(ReportLines& lines, const SimulateReport& report) {
  const Summary& f = report.run.figures;
  lines.fact("average wait", length_text(f.average_wait_seconds),
             "of finished jobs; the longest " + length_text(f.longest_wait_seconds));
  lines.fact("average response", length_text(f.average_response_seconds));
  lines.fact("average slowdown", decimal(f.average_slowdown, 2),
             "bounded (jobs below 10 s count as 10 s): " + decimal(f.average_bounded_slowdown, 2));
  lines.fact("utilisation", percent(f.utilisation),
             "of " + count_text(report.input.grid.processors(), "processor") + " over " +
                 length_text(f.makespan_seconds));
}

void add_messages(ReportLines& lines, const SimulateReport& report) {
  const Summary& f = report.run.figures;
  const MessageCounts& messages = report.run.totals.messages;
  if (report.choice.architecture == "dmm")
    lines.fact("delegations per job", decimal(f.delegations_per_job, 2),
               decimal(f.delegations_tried_per_job, 2) + " tried; the longest chain has " +
                   count_text(f.longest_chain, "site"));
  if (const std::uint64_t jobs = report.run.totals.jobs_interrupted; jobs > 0)
    lines.fact("jobs interrupted", grouped(jobs), "by owners that took nodes back; they ran again");
  const std::uint64_t total = total_of(messages);
  if (total == 0) return;
  lines.fact("messages in all", grouped(total),
             decimal(fraction(static_cast<double>(total), static_cast<double>(f.jobs_submitted)), 1) + " per job");
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i] > 0)
      lines.add("    " +
                pad_right(words_of(to_text(static_cast<MessageKind>(i))), ReportLines::label_columns - 2) +
                pad_left(grouped(messages[i]), 12));
}

/// A row for each grid, about the jobs submitted in it.
void add_grids(ReportLines& lines, const SimulateReport& report) {
  const std::vector<GridGroup> groups = groups_of(report.input.grid, report.input.root_names);
  if (groups.size() < 2 || groups.size() > 20) return;
  Table table({{"  jobs from"},
               {"submitted", true},
               {"finished", true},
               {"average wait", true},
               {"goodput [processor-hours]", true}});
  for (const GridGroup& group : groups) {
    HomeFigures sum;
    for (const std::uint32_t cluster : group.clusters) sum += report.run.homes[cluster];
    table.add({"  " + group.name, grouped(sum.jobs_submitted), grouped(sum.jobs_finished),
               length_text(sum.average_wait_seconds()), hours_text(sum.goodput(), sum.goodput())});
  }
  lines.gap();
  std::string text = table.text(lines.style());
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    lines.add(text.substr(0, end));
    text.erase(0, end + 1);
  }
}

void add_trouble(ReportLines& lines, const SimulateReport& report) {
  const Style& style = lines.style();
  const Summary& f = report.run.figures;
  if (f.jobs_lost > 0) lines.add(style.paint(Ink::red, count_text(f.jobs_lost, "job") + " LOST."));
  if (f.jobs_failed > 0)
    lines.add(
        style.paint(Ink::yellow, count_text(f.jobs_failed, "job") +
                                     " failed: they need more processors than this architecture can give one."));
  if (report.run.totals.jobs_rerun > 0)
    lines.add(style.paint(Ink::red,
                          count_text(report.run.totals.jobs_rerun, "job") + " STARTED AGAIN WITHOUT A CAUSE."));
  if (report.run.totals.nodes_not_home > 0)
    lines.add(style.paint(Ink::red, count_text(report.run.totals.nodes_not_home, "node") + " NOT HOME."));
  if (!has_cool_down(report.choice))
    lines.add(style.paint(Ink::dim, "Stopped at the last arrival; what ran or waited then is unfinished."));
}

nlohmann::ordered_json homes_json(const SimulateReport& report) {
  auto homes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.run.homes.size(); ++i) {
    const HomeFigures& home = report.run.homes[i];
    nlohmann::ordered_json goodput;
    for (std::size_t origin = 0; origin < origin_count; ++origin)
      goodput[std::string(to_text(static_cast<Origin>(origin)))] = home.goodput_processor_seconds[origin];
    homes.push_back({{"cluster", report.input.grid.clusters[i].name},
                     {"processors", report.input.grid.clusters[i].processors},
                     {"jobs_submitted", home.jobs_submitted},
                     {"jobs_finished", home.jobs_finished},
                     {"average_wait_seconds", home.average_wait_seconds()},
                     {"goodput_processor_seconds", goodput}});
  }
  return homes;
}

}  // namespace

bool all_well(const SimulateReport& report) {
  const SimulationTotals& totals = report.run.totals;
  return report.run.figures.jobs_lost == 0 && totals.jobs_rerun == 0 && totals.nodes_not_home == 0;
}

std::vector<std::string> render_report(const SimulateReport& report, const Style& style) {
  ReportLines lines(style);
  const std::size_t clusters = report.input.grid.clusters.size();
  lines.add(style.paint(Ink::bold, title_of(report.choice, report.input)));
  lines.add("  " + count_text(report.input.topology.sites.size(), "site") + ", " +
            count_text(clusters, "cluster") + ", " + count_text(report.input.grid.processors(), "processor"));
  for (const std::string& note : report.run.notes) lines.add("  " + style.paint(Ink::dim, note));
  for (const Replacement& one : report.replaced)
    lines.add("  " + style.paint(Ink::dim, "replaced: " + to_text(one, report.input.topology.sites.size())));
  lines.gap();
  add_job_counts(lines, report.run.figures, 0);
  add_times(lines, report);
  add_goodput(lines, report.run.figures, clusters > 1);
  add_messages(lines, report);
  add_grids(lines, report);
  lines.gap();
  add_trouble(lines, report);
  std::vector<std::string> all = lines.take();
  while (!all.empty() && all.back().empty()) all.pop_back();
  return all;
}

nlohmann::ordered_json messages_json(const MessageCounts& messages) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < messages.size(); ++i)
    json[std::string(to_text(static_cast<MessageKind>(i)))] = messages[i];
  return json;
}

nlohmann::ordered_json to_json(const SimulateReport& report) {
  nlohmann::ordered_json json{
      {"topology", report.input.topology.name},        {"workload", report.input.workload.title()},
      {"architecture", report.choice.architecture},    {"seed", report.choice.seed},
      {"cool_down", has_cool_down(report.choice)},     {"sites", report.input.topology.sites.size()},
      {"clusters", report.input.grid.clusters.size()}, {"processors", report.input.grid.processors()}};
  add_figures(json, report.run.figures);
  json.update({{"ended_seconds", report.run.ended_seconds},
               {"messages", messages_json(report.run.totals.messages)},
               {"messages_total", total_of(report.run.totals.messages)},
               {"nodes_not_home", report.run.totals.nodes_not_home},
               {"jobs_interrupted", report.run.totals.jobs_interrupted},
               {"jobs_rerun", report.run.totals.jobs_rerun},
               {"events", report.run.totals.events},
               {"homes", homes_json(report)},
               {"notes", report.run.notes},
               {"replaced", to_json(report.replaced)},
               {"ok", all_well(report)}});
  return json;
}

}  // namespace dmm
