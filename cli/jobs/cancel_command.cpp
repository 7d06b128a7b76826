// `dmm cancel`: cancels jobs that are named, or that are selected as for `dmm queue`.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/job_selection.hpp"
#include "cli/jobs/order_jobs.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

/// Jobs of one order: they fit into a message and into a step of the job manager.
constexpr std::size_t cancel_batch_max = 500;

struct CancelOptions {
  ManagerOptions manager;
  SelectionOptions selection;
  std::vector<std::string> jobs;
  std::uint64_t grace_seconds = 5;
  bool yes = false;
  bool json = false;
};

constexpr JobOrder cancel_order{"cancel", "cancelled", "cancelled", "over already"};

int cancel_named(const CancelOptions& options) {
  return order_each(cancel_order, options.jobs, options.manager, {{"grace_seconds", options.grace_seconds}},
                    options.json);
}

/// Job numbers, by the index of their job manager.
using Chosen = std::map<std::size_t, std::vector<std::uint64_t>>;

std::size_t count_of(const Chosen& chosen) {
  std::size_t count = 0;
  for (const auto& [manager, jobs] : chosen) count += jobs.size();
  return count;
}

/// Asks the user at the terminal.
bool agreed(std::size_t count) {
  std::fprintf(stderr, "Cancel %s? [y/N] ", count_text(count, "job").c_str());
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

/// Sends the order to one manager, and adds the result to the sums. A fault if the manager gave no answer.
std::string cancel_at(const Manager& manager, const std::vector<std::uint64_t>& jobs, std::uint64_t grace,
                      std::size_t& cancelled, Json& refused) {
  const std::string prefix = manager.party.site.text + "/" + manager.party.name + "/";
  for (std::size_t first = 0; first < jobs.size(); first += cancel_batch_max) {
    const std::vector<std::uint64_t> batch(
        jobs.begin() + static_cast<std::ptrdiff_t>(first),
        jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs.size(), first + cancel_batch_max)));
    const Answered answered = order_one(manager, "cancel", {{"jobs", batch}, {"grace_seconds", grace}});
    const bool is_refusal = batch.size() == 1 && answered.manager_said;
    if (is_refusal && !answered.fault.empty())
      refused.push_back({{"job", prefix + std::to_string(batch[0])}, {"reason", answered.fault}});
    else if (!answered.fault.empty())
      return answered.fault;
    cancelled += answered.json.value("cancelled", Json::array()).size();
    for (const Json& one : answered.json.value("refused", Json::array()))
      refused.push_back({{"job", prefix + std::to_string(one.value("job", std::uint64_t{0}))},
                         {"reason", one.value("reason", "")}});
  }
  return {};
}

int cancel_all_of(const CancelOptions& options, const std::vector<Manager>& managers, const Chosen& chosen,
                  std::vector<std::string> faults) {
  std::size_t cancelled = 0;
  Json refused = Json::array();
  for (const auto& [manager, jobs] : chosen)
    if (std::string fault = cancel_at(managers[manager], jobs, options.grace_seconds, cancelled, refused);
        !fault.empty())
      faults.push_back(std::move(fault));
  if (options.json)
    print_json({{"cancelled", cancelled}, {"refused", refused}, {"faults", faults}});
  else
    std::printf("%s cancelled\n", count_text(cancelled, "job").c_str());
  for (const Json& one : refused)
    fail("cancel", {one.value("job", "") + ": " + harmless(one.value("reason", "")), 1});
  for (const std::string& fault : faults) fail("cancel", {fault, 1});
  return faults.empty() && refused.empty() ? 0 : 1;
}

int cancel_selected(const CancelOptions& options) {
  const auto selected = JobSelection::make(options.selection, static_cast<double>(wall_microseconds()) / 1e6);
  if (const auto* fault = std::get_if<CommandFault>(&selected)) return fail("cancel", *fault);
  const auto& selection = std::get<JobSelection>(selected);
  auto named = choose_managers(options.manager, Role::job_manager);
  if (auto* fault = std::get_if<CommandFault>(&named)) return fail("cancel", *fault);
  const auto& managers = std::get<std::vector<Manager>>(named);
  Chosen chosen;
  const auto choose = [&](std::size_t manager, const Json& json) {
    const ToldJob job = job_from_json(json);
    if (!job.over() && selection.takes(job)) chosen[manager].push_back(job.number);
  };
  const bool wants_elements = !options.selection.states.empty();
  std::vector<std::string> faults = fetch_jobs(managers, {.command = "cancel",
                                                          .states = selection.states(),
                                                          .elements = wants_elements,
                                                          .each = choose,
                                                          .counts = {}});
  const std::size_t count = count_of(chosen);
  if (count > 0 && !options.yes) {
    if (::isatty(STDIN_FILENO) != 1)
      return fail("cancel", {count_text(count, "job") + " would be cancelled; say --yes to do it", 2});
    if (!agreed(count)) return fail("cancel", {"nothing was cancelled", 1});
  }
  return cancel_all_of(options, managers, chosen, std::move(faults));
}

int cancel(const CancelOptions& options) {
  const bool selects = options.selection.narrows() || options.selection.all;
  if (options.jobs.empty() && !selects)
    return fail("cancel",
                {"choose the jobs to cancel: their names, or --state, --name, --since, --until, or --all", 2});
  if (!options.jobs.empty() && selects) return fail("cancel", {"jobs are named or selected, not both", 2});
  return selects ? cancel_selected(options) : cancel_named(options);
}

}  // namespace

CLI::App* add_cancel_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("cancel", "Cancel jobs; running ones are ended");
  auto options = std::make_shared<CancelOptions>();
  command->add_option("job", options->jobs, "Numbers, or as in das-0/alice/17")->type_name("JOB...");
  add_manager_options(*command, options->manager, Role::job_manager);
  add_selection_options(*command, options->selection, open_job_states(), "All jobs that wait or run");
  command->add_flag("--yes", options->yes, "Cancel selected jobs without asking first");
  command->add_option("--grace", options->grace_seconds, "Seconds between SIGTERM and SIGKILL (default 5)")
      ->check(CLI::Range(0, 3600))
      ->type_name("SECONDS");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Jobs are named one by one, or selected as for `dmm queue`. Before it cancels selected jobs, the command "
      "says\n"
      "how many these are and asks; without a terminal, --yes is needed.\n"
      "\n"
      "Examples:\n"
      "  dmm cancel das-0/alice/17\n"
      "  dmm cancel 17 18 --site das-0 --grace 30\n"
      "  dmm cancel --site das-0 --user alice --state waiting --name 'render-*'\n"
      "  dmm cancel --all --since 10min --yes\n");
  command->callback([options, &exit_code] { exit_code = cancel(*options); });
  return command;
}

}  // namespace dmm
