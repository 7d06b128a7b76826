// `dmm hold`, `dmm release` and `dmm alter`: a user's changes to waiting jobs.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/order_jobs.hpp"
#include "cli/managers/managers.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct AlterOptions {
  ManagerOptions manager;
  std::vector<std::string> jobs;
  std::optional<std::int32_t> priority;
  std::optional<std::uint64_t> wall_seconds;
  bool hold = false, release = false, json = false;
};

constexpr JobOrder hold_order{"hold", "changed", "held", "held already"};
constexpr JobOrder release_order{"release", "changed", "released", "not held: nothing changed"};
constexpr JobOrder alter_order{"alter", "changed", "altered", "so already: nothing changed"};

int alter(const AlterOptions& options) {
  Json argument = Json::object();
  if (options.priority) argument["priority"] = *options.priority;
  if (options.wall_seconds) argument["limit_wall_seconds"] = *options.wall_seconds;
  if (options.hold || options.release) argument["held"] = options.hold;
  if (argument.empty())
    return fail("alter", {"say what to change: --priority, --limit-wall, --hold or --release", 2});
  return order_each(alter_order, options.jobs, options.manager, argument, options.json);
}

CLI::App* add_order(CLI::App& app, const char* name, const char* what,
                    const std::shared_ptr<AlterOptions>& options) {
  auto* command = app.add_subcommand(name, what);
  command->add_option("job", options->jobs, "Numbers, or as in das-0/alice/17")->required()->type_name("JOB...");
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  return command;
}

}  // namespace

CLI::App* add_hold_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AlterOptions>();
  auto* command = add_order(app, "hold", "Hold waiting jobs back until they are released", options);
  command->footer(
      "A job that has nodes already can't be held; `dmm cancel` ends it. `dmm submit --hold` submits a job that "
      "is\n"
      "held from the beginning.\n"
      "\n"
      "Examples:\n"
      "  dmm hold das-0/alice/17\n"
      "  dmm hold 17 18 --site das-0\n");
  command->callback([options, &exit_code] {
    exit_code = order_each(hold_order, options->jobs, options->manager, Json::object(), options->json);
  });
  return command;
}

CLI::App* add_release_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AlterOptions>();
  auto* command = add_order(app, "release", "Release held jobs", options);
  command->footer(
      "A released job still waits for its begin time and for the jobs that it depends on.\n"
      "\n"
      "Examples:\n"
      "  dmm release das-0/alice/17\n"
      "  dmm release 17 18 --site das-0\n");
  command->callback([options, &exit_code] {
    exit_code = order_each(release_order, options->jobs, options->manager, Json::object(), options->json);
  });
  return command;
}

CLI::App* add_alter_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AlterOptions>();
  auto* command = add_order(app, "alter", "Change waiting jobs", options);
  command->add_option("--priority", options->priority, "Priority at sites that order by it; greater starts sooner")
      ->type_name("N");
  command->add_option("--limit-wall", options->wall_seconds, "Its longest run time; 0: no limit")
      ->type_name("SECONDS");
  auto* hold = command->add_flag("--hold", options->hold, "As `dmm hold`");
  command->add_flag("--release", options->release, "As `dmm release`")->excludes(hold);
  command->footer(
      "The job manager withdraws the job's request from its site and sends it again with the same waiting time:\n"
      "the job keeps its place in a queue that goes by age. A job that has nodes already can't be altered.\n"
      "\n"
      "Examples:\n"
      "  dmm alter das-0/alice/17 --priority 10\n"
      "  dmm alter 17 18 --site das-0 --limit-wall 7200 --release\n");
  command->callback([options, &exit_code] { exit_code = alter(*options); });
  return command;
}

}  // namespace dmm
