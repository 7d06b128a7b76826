// `dmm queue`: the jobs of one user or of a whole testbed, and the number of all jobs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/job_selection.hpp"
#include "cli/jobs/job_sentences.hpp"
#include "cli/jobs/job_totals.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

struct QueueOptions {
  ManagerOptions manager;
  SelectionOptions selection;
  bool elements = false;
  bool json = false;
};

/// The chains of all its leases.
std::string chains_text(const ToldJob& job, const Style& style) {
  std::string text;
  for (const ToldJob::Place& place : job.places) {
    text += text.empty() ? "" : ", ";
    for (std::size_t i = 0; i < place.chain.size(); ++i)
      text += (i == 0 ? "" : std::string(style.pick(" → ", " > "))) + harmless(place.chain[i]);
  }
  return text;
}

/// How long its present or last attempt has run; empty if none ran.
std::string ran_text(const ToldJob& job, double now) {
  const bool is_known = job.over() || job.state == "collecting";
  if (is_known && job.wall_seconds > 0) return length_text(job.wall_seconds);
  return job.ran_from && !job.over() ? length_text(std::max(0.0, now - *job.ran_from)) : "";
}

void add_row(Table& table, const ToldJob& job, double now, const Style& style) {
  table.add({harmless(job.title()), job.state, std::to_string(job.processors),
             length_text(waited_seconds(job, now)), ran_text(job, now), chains_text(job, style),
             harmless(job.name), outcome_text(job, now)});
}

void show(const QueueOptions& options, const Json& list, const JobTotals& totals, std::size_t missing) {
  const double now = static_cast<double>(wall_microseconds()) / 1e6;
  const Style style = style_of(STDOUT_FILENO);
  Table table({{"job"},
               {"state"},
               {"processors", true},
               {"waited", true},
               {"ran", true},
               {"owner to home", false, true},
               {"name", false, true},
               {"outcome", false, true}});
  for (const Json& job : list) add_row(table, job_from_json(job), now, style);
  if (!table.empty()) std::printf("%s", table.text(style).c_str());
  std::string text = totals_text(totals, list.size(), options.selection.narrows() || options.selection.all);
  if (missing > 0) text += "; " + count_text(missing, "manager") + " didn't answer, and may have more";
  std::printf("%s\n", text.c_str());
}

int queue(const QueueOptions& options) {
  const double now = static_cast<double>(wall_microseconds()) / 1e6;
  const auto selected = JobSelection::make(options.selection, now);
  if (const auto* fault = std::get_if<CommandFault>(&selected)) return fail("queue", *fault);
  const auto& selection = std::get<JobSelection>(selected);
  auto chosen = choose_managers(options.manager, Role::job_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("queue", *fault);
  Json list = Json::array();
  JobTotals totals;
  const std::vector<std::string> faults = fetch_jobs(std::get<std::vector<Manager>>(chosen),
                                                     {.command = "queue",
                                                      .states = selection.states(),
                                                      .elements = options.elements,
                                                      .each =
                                                          [&](std::size_t, const Json& job) {
                                                            if (selection.takes(job_from_json(job)))
                                                              list.push_back(job);
                                                          },
                                                      .counts = [&](const Json& counts) { totals.add(counts); }});
  if (options.json) {
    print_json({{"jobs", std::move(list)}, {"totals", to_json(totals)}, {"faults", faults}});
    return faults.empty() ? 0 : 1;
  }
  if (totals.managers > 0) show(options, list, totals, faults.size());
  for (const std::string& fault : faults) fail("queue", {fault, 1});
  return faults.empty() ? 0 : 1;
}

}  // namespace

CLI::App* add_queue_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("queue", "List jobs that wait or run, and how many there are in all");
  auto options = std::make_shared<QueueOptions>();
  add_manager_options(*command, options->manager, Role::job_manager);
  add_selection_options(*command, options->selection, job_states(), "Also jobs that are over");
  command->add_flag("--elements", options->elements, "Also the elements of arrays, each in a line");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "The last line counts all jobs of the managers that were asked, whatever is shown. On a terminal, texts\n"
      "that don't fit are shortened; a pipe gets them whole.\n"
      "\n"
      "Examples:\n"
      "  dmm queue\n"
      "  dmm queue --site das-0 --all\n"
      "  dmm queue --user alice --state waiting --name 'render-*' --since 2h\n"
      "  dmm queue --state failed --state lost --json\n");
  command->callback([options, &exit_code] { exit_code = queue(*options); });
  return command;
}

}  // namespace dmm
