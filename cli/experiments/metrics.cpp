// The shares of messages are those of Iosup et al. 2007, section 5.7: the first four kinds are workload management
// messages, the fifth is what delegation adds.
#include "cli/experiments/metrics.hpp"
#include "cli/terminal/report_lines.hpp"

namespace dmm {
namespace {

using enum MessageKind;

double count(const RunFigures& run, MessageKind kind) {
  return static_cast<double>(run.messages[static_cast<std::size_t>(kind)]);
}

double management(const RunFigures& run) {
  return count(run, notify_broker) + count(run, negotiate) + count(run, job_data_exchange) +
         count(run, match_claim_release);
}

double all(const RunFigures& run) {
  double sum = 0;
  for (const std::uint64_t messages : run.messages) sum += static_cast<double>(messages);
  return sum;
}

double jobs(const RunFigures& run) { return static_cast<double>(run.summary.jobs_submitted); }

template <Origin origin>
double goodput_hours(const RunFigures& run) {
  return run.summary.goodput_processor_seconds_by_origin[static_cast<std::size_t>(origin)] / 3600;
}

double delegated_hours(const RunFigures& run) {
  return run.summary.goodput_processor_seconds / 3600 - goodput_hours<Origin::local>(run);
}

}  // namespace

const std::vector<Metric>& metrics() {
  using Run = const RunFigures&;
  constexpr AxisKind linear = AxisKind::linear, logarithmic = AxisKind::logarithmic;
  static const std::vector<Metric> table = {
      {"goodput_processor_hours", "Goodput", "goodput [h]", "processor-hours", 0, linear,
       [](Run run) { return run.summary.goodput_processor_seconds / 3600; }},
      {"average_wait_seconds", "Average wait", "wait [s]", "s", 0, logarithmic,
       [](Run run) { return run.summary.average_wait_seconds; }},
      {"average_slowdown", "Average slowdown", "slowdown", "", 1, logarithmic,
       [](Run run) { return run.summary.average_slowdown; }},
      {"average_bounded_slowdown", "Bounded slowdown", "bounded", "", 2, logarithmic,
       [](Run run) { return run.summary.average_bounded_slowdown; }},
      {"average_response_seconds", "Average response", "response [s]", "s", 0, logarithmic,
       [](Run run) { return run.summary.average_response_seconds; }},
      {"jobs_finished_percent", "Finished jobs", "finished [%]", "%", 1, linear,
       [](Run run) { return run.summary.jobs_finished_percent; }},
      {"jobs_started_percent", "Started jobs", "started [%]", "%", 1, linear,
       [](Run run) { return 100 * fraction(static_cast<double>(run.summary.jobs_started), jobs(run)); }},
      {"utilisation_percent", "Utilisation", "used [%]", "%", 1, linear,
       [](Run run) { return 100 * run.summary.utilisation; }},
      {"delegations_per_job", "Delegations per job", "delegations", "", 2, linear,
       [](Run run) { return run.summary.delegations_per_job; }},
      {"delegations_tried_per_job", "Delegations tried per job", "tried", "", 2, linear,
       [](Run run) { return run.summary.delegations_tried_per_job; }},
      {"goodput_local_processor_hours", "Local goodput", "local [h]", "processor-hours", 0, linear,
       goodput_hours<Origin::local>},
      {"goodput_intra_site_processor_hours", "Intra-site goodput", "intra-site [h]", "processor-hours", 0, linear,
       goodput_hours<Origin::intra_site>},
      {"goodput_intra_grid_processor_hours", "Intra-grid goodput", "intra-grid [h]", "processor-hours", 0, linear,
       goodput_hours<Origin::intra_grid>},
      {"goodput_inter_grid_processor_hours", "Inter-grid goodput", "inter-grid [h]", "processor-hours", 0, linear,
       goodput_hours<Origin::inter_grid>},
      {"inter_grid_percent_of_delegated", "Inter-grid, of all delegated goodput", "inter/delegated [%]", "%", 1,
       linear,
       [](Run run) { return 100 * fraction(goodput_hours<Origin::inter_grid>(run), delegated_hours(run)); }},
      {"messages_per_job", "Messages per job", "messages", "", 1, linear,
       [](Run run) { return fraction(all(run), jobs(run)); }},
      {"management_messages_per_job", "Management messages per job", "management", "", 1, linear,
       [](Run run) { return fraction(management(run), jobs(run)); }},
      {"dmm_messages_per_job", "Delegation messages per job", "delegation", "", 1, linear,
       [](Run run) { return fraction(count(run, MessageKind::dmm), jobs(run)); }},
      {"keep_alive_messages_per_job", "Keep-alives per job", "keep-alives", "", 1, linear,
       [](Run run) { return fraction(count(run, keep_alive), jobs(run)); }},
      {"dmm_percent_of_management", "Delegation messages, of management", "dmm/management [%]", "%", 1, linear,
       [](Run run) { return 100 * fraction(count(run, MessageKind::dmm), management(run)); }},
      {"dmm_percent_of_messages", "Delegation messages, of all", "dmm/all [%]", "%", 1, linear,
       [](Run run) { return 100 * fraction(count(run, MessageKind::dmm), all(run)); }},
      {"jobs_submitted", "Jobs", "jobs", "", 0, linear, jobs}};
  return table;
}

const Metric* find_metric(std::string_view name) {
  for (const Metric& metric : metrics())
    if (metric.name == name) return &metric;
  return nullptr;
}

}  // namespace dmm
