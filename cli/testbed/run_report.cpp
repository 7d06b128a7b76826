#include "cli/testbed/run_report.hpp"

#include <nlohmann/json.hpp>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/report_lines.hpp"

namespace dmm {
namespace {

void add_jobs(ReportLines& lines, const RunReport& report) {
  add_job_counts(lines, report.figures, report.jobs_in_workload);
  if (report.jobs_rerun > 0) lines.fact("jobs run again", grouped(report.jobs_rerun), "after a lost node");
  if (report.capped > 0)
    lines.fact("run times capped", grouped(report.capped),
               "to " + length_text(static_cast<double>(report.run_cap_seconds)) + " (--run-cap)");
}

void add_times(ReportLines& lines, const RunReport& report) {
  const Summary& f = report.figures;
  lines.fact("average wait", length_text(f.average_wait_seconds),
             "for nodes, until the grant; trace time, as all but the next two");
  lines.fact("until the grant", length_text(report.grant_median_seconds) + " median",
             "real time: wait and search");
  lines.fact("overhead per job",
             length_text(f.average_overhead_seconds) + ", median " + length_text(report.overhead_median_seconds),
             "real time, from the grant to the known end, less the program's own; in no other figure");
  lines.fact("average response", length_text(f.average_response_seconds));
  lines.fact("bounded slowdown", decimal(f.average_bounded_slowdown, 2), "average; jobs below 10 s count as 10 s");
  lines.fact("utilisation", percent(f.utilisation),
             "of " + count_text(report.processors, "processor") + " over " + length_text(f.makespan_seconds));
}

void add_messages(ReportLines& lines, const RunReport& report) {
  const Summary& f = report.figures;
  lines.fact("delegations per job", decimal(f.delegations_per_job, 2),
             decimal(f.delegations_tried_per_job, 2) + " tried; the longest chain has " +
                 count_text(f.longest_chain, "site"));
  std::uint64_t total = 0;
  for (const auto& [kind, count] : report.messages) total += count;
  lines.fact("messages per job", decimal(f.messages_per_job_median, 1),
             "median; 95 % have at most " + decimal(f.messages_per_job_p95, 0));
  lines.fact("messages in all", grouped(total),
             report.messages_resent > 0 ? grouped(report.messages_resent) + " sent again" : "");
  for (const auto& [kind, count] : report.messages)
    lines.add("    " + pad_right(words_of(kind), ReportLines::label_columns - 2) + pad_left(grouped(count), 9));
}

/// The waits describe the schedule only if the machine is quick enough for the speed-up.
void add_warning(ReportLines& lines, const RunReport& report, const Style& style) {
  if (!is_too_fast(report)) return;
  const double overhead = report.overhead_median_seconds;
  lines.gap();
  lines.say(
      style.paint(Ink::yellow,
                  "DMM needed " + length_text(overhead) + " of real time for a job (median): " +
                      length_text(overhead * report.speedup) + " at this speed-up, more than jobs waited for " +
                      "nodes. Read the waits and searches of this run as a property of this machine, not of the " +
                      "schedule. Choose a lower --speedup, or `dmm simulate`, which shows the schedule alone."));
}

void add_trouble(ReportLines& lines, const RunReport& report, const Style& style) {
  if (report.interrupted)
    lines.add(style.paint(Ink::yellow, "Interrupted: the figures are of what had ended by then."));
  if (report.timed_out)
    lines.add(style.paint(
        Ink::red, "Nothing ended for too long (--timeout): the run was stopped, the figures are partial."));
  if (report.figures.jobs_lost > 0)
    lines.add(style.paint(Ink::red, count_text(report.figures.jobs_lost, "job") + " LOST."));
  if (report.figures.jobs_failed > 0)
    lines.add(style.paint(Ink::red, count_text(report.figures.jobs_failed, "job") + " FAILED."));
  if (report.nodes_not_home > 0)
    lines.add(style.paint(Ink::red, count_text(report.nodes_not_home, "node") + " NOT HOME:"));
  for (const std::string& line : report.not_home) lines.add("  " + line);
  for (const std::string& line : report.trouble) lines.add(style.paint(Ink::red, line));
  if (report.nodes_not_home == 0 && report.not_home.empty() && !report.interrupted)
    lines.add(style.paint(Ink::green, "Every node is idle at its owner."));
  if (report.stopped && report.left_behind.empty())
    lines.add("Stopped: " + grouped(report.processes_ended) +
              " processes ended; no process, socket or lock is left.");
}

}  // namespace

bool is_too_fast(const RunReport& report) {
  const Summary& f = report.figures;
  return f.jobs_finished > 0 && report.overhead_median_seconds * report.speedup > f.average_wait_seconds;
}

bool all_well(const RunReport& report) {
  const Summary& f = report.figures;
  return report.nodes_not_home == 0 && report.not_home.empty() && report.trouble.empty() && !report.timed_out &&
         f.jobs_lost == 0 && f.jobs_failed == 0 && f.jobs_finished == report.jobs_in_workload;
}

std::vector<std::string> render_report(const RunReport& report, const Style& style) {
  ReportLines lines(style);
  lines.add(style.paint(Ink::bold, report.topology) + ": " + count_text(report.sites, "site") + ", " +
            count_text(report.processors, "processor") + "; " + decimal(report.speedup, 0) + " times faster, in " +
            length_text(report.elapsed_seconds));
  lines.gap();
  add_jobs(lines, report);
  add_times(lines, report);
  add_goodput(lines, report.figures);
  add_messages(lines, report);
  add_warning(lines, report, style);
  if (!report.chain_lines.empty()) {
    lines.gap();
    lines.add(style.paint(Ink::bold, "One request that went far:"));
    for (const std::string& line : report.chain_lines) lines.add(std::string(chain_indent, ' ') + line);
  }
  lines.gap();
  add_trouble(lines, report, style);
  if (!report.chain_request.empty() && !report.logs.empty()) {
    lines.gap();
    lines.add("To see the way of any other request, also after the run:");
    lines.add("  dmm chain " + report.chain_request + " --logs " + report.logs);
  }
  return lines.take();
}

nlohmann::ordered_json to_json(const RunReport& report) {
  const Summary& f = report.figures;
  nlohmann::ordered_json json{{"topology", report.topology},     {"workload", report.workload},
                              {"speedup", report.speedup},       {"sites", report.sites},
                              {"processors", report.processors}, {"jobs_in_workload", report.jobs_in_workload}};
  add_figures(json, f);
  json.update({{"jobs_rerun", report.jobs_rerun},
               {"capped", report.capped},
               {"run_cap_seconds", report.run_cap_seconds},
               {"messages", report.messages},
               {"messages_resent", report.messages_resent},
               {"messages_per_job_median", f.messages_per_job_median},
               {"messages_per_job_p95", f.messages_per_job_p95},
               {"nodes_not_home", report.nodes_not_home},
               {"overhead_milliseconds", f.average_overhead_seconds * 1000},
               {"overhead_milliseconds_median", report.overhead_median_seconds * 1000},
               {"grant_milliseconds_median", report.grant_median_seconds * 1000},
               {"overhead_exceeds_waits", is_too_fast(report)},
               {"elapsed_seconds", report.elapsed_seconds},
               {"processes_ended", report.processes_ended},
               {"processes_killed", report.processes_killed},
               {"left_behind", report.left_behind},
               {"interrupted", report.interrupted},
               {"timed_out", report.timed_out},
               {"trouble", report.trouble},
               {"chain_request", report.chain_request},
               {"logs", report.logs},
               {"ok", all_well(report)}});
  return json;
}

}  // namespace dmm
