// `dmm queue`: the jobs of one user or of a whole testbed; and `dmm cancel JOB`.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "cli/questions.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

struct QueueOptions {
  ManagerOptions manager;
  std::vector<std::string> states;
  bool all = false;
  bool json = false;
};

struct CancelOptions {
  ManagerOptions manager;
  std::vector<std::string> jobs;
  std::uint64_t grace_seconds = 5;
  bool json = false;
};

std::string chain_text(const JobRecord& job, const Style& style) {
  std::string text;
  for (const std::string& site : job.chain)
    text += (text.empty() ? "" : std::string(style.pick(" → ", " > "))) + harmless(site);
  return text;
}

std::string outcome_text(const JobRecord& job) {
  if (job.exit_kind == "exited" && job.exit_code != 0) return "exit status " + std::to_string(job.exit_code);
  if (job.exit_kind == "signalled") return "signal " + std::to_string(job.exit_code);
  return cut(harmless(job.text), 60);
}

/// How long it waited, or waits.
double waited(const JobRecord& job, double now) {
  if (job.over() && job.wall_seconds > 0 && job.ended) return *job.ended - job.wall_seconds - job.submitted;
  return job.started.value_or(job.ended.value_or(now)) - job.submitted;
}

/// How long it ran, or has been running; nothing if it didn't.
std::string ran_text(const JobRecord& job, double now) {
  if (job.over()) return job.wall_seconds > 0 ? length_text(job.wall_seconds) : "";
  return job.started ? length_text(now - *job.started) : "";
}

void add_row(Table& table, const JobRecord& job, double now, const Style& style) {
  table.add({harmless(job.request), job.state, std::to_string(job.processors), length_text(waited(job, now)),
             ran_text(job, now), chain_text(job, style), harmless(job.name), outcome_text(job)});
}

std::vector<std::string> states_of(const QueueOptions& options) {
  if (options.all) return {};
  if (!options.states.empty()) return options.states;
  return {"waiting", "starting", "running", "ending", "collecting"};
}

int queue(const QueueOptions& options) {
  auto chosen = choose_managers(options.manager, Role::job_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("queue", *fault);
  const auto& managers = std::get<std::vector<Manager>>(chosen);
  Json list = Json::array();
  const std::vector<std::string> faults =
      fetch_jobs(managers, states_of(options), [&](std::size_t, const Json& job) { list.push_back(job); });
  if (options.json) {
    print_json({{"jobs", std::move(list)}, {"faults", faults}});
    return faults.empty() ? 0 : 1;
  }
  const Style style = style_of(STDOUT_FILENO);
  Table table({{"job"},
               {"state"},
               {"processors", true},
               {"waited", true},
               {"ran", true},
               {"lease from owner to home"},
               {"name"},
               {""}});
  const double now = static_cast<double>(wall_microseconds()) / 1e6;
  for (const Json& job : list) add_row(table, job_from_json(job), now, style);
  if (!table.empty())
    std::printf("%s", table.text(style).c_str());
  else if (faults.empty())
    std::printf(options.all ? "no jobs\n" : "no jobs wait or run; --all shows those that are over\n");
  for (const std::string& fault : faults) fail("queue", {fault, 1});
  return faults.empty() ? 0 : 1;
}

int cancel(const CancelOptions& options) {
  Json results = Json::array();
  int code = 0;
  for (const std::string& text : options.jobs) {
    auto parsed = parse_job(text);
    if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail("cancel", *fault);
    const JobName& name = std::get<JobName>(parsed);
    auto manager = manager_of(name, options.manager);
    if (auto* fault = std::get_if<CommandFault>(&manager)) return fail("cancel", *fault);
    const Answered answered = ask_one(std::get<Manager>(manager), "cancel",
                                      {{"job", name.job}, {"grace_seconds", options.grace_seconds}});
    results.push_back({{"job", text}, {"cancelled", answered.fault.empty()}, {"reason", answered.fault}});
    if (!answered.fault.empty())
      code = fail("cancel", {text + ": " + answered.fault, 1});
    else if (!options.json)
      std::printf("%s: cancelled\n", text.c_str());
  }
  if (options.json) print_json({{"jobs", std::move(results)}});
  return code;
}

}  // namespace

CLI::App* add_queue_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("queue", "List jobs that wait or run");
  auto options = std::make_shared<QueueOptions>();
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_flag("--all", options->all, "Also jobs that are over");
  command->add_option("--state", options->states, "Only jobs in this state; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(
          {"waiting", "starting", "running", "ending", "collecting", "finished", "failed", "cancelled", "lost"}))
      ->type_name("STATE");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Examples:\n"
      "  dmm queue\n"
      "  dmm queue --site das-0 --all\n"
      "  dmm queue --state failed --state lost --json\n");
  command->callback([options, &exit_code] { exit_code = queue(*options); });
  return command;
}

CLI::App* add_cancel_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("cancel", "Take jobs back; what runs of them is ended");
  auto options = std::make_shared<CancelOptions>();
  command->add_option("job", options->jobs, "Numbers, or as in das-0/alice/17")->required()->type_name("JOB...");
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_option("--grace", options->grace_seconds, "Seconds between SIGTERM and SIGKILL (default 5)")
      ->check(CLI::Range(0, 3600))
      ->type_name("SECONDS");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Examples:\n"
      "  dmm cancel das-0/alice/17\n"
      "  dmm cancel 17 18 --site das-0 --grace 30\n");
  command->callback([options, &exit_code] { exit_code = cancel(*options); });
  return command;
}

}  // namespace dmm
