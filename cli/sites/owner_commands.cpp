// `dmm reclaim`, `dmm drain`, `dmm resume`, `dmm forget` and `dmm expect`: orders of a site's owner to its site
// manager.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/commands.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct OwnerOptions {
  ManagerOptions manager;
  std::string subject;  ///< a lease, a site or a resource manager
  std::vector<std::string> times;
  std::optional<double> grace_seconds;
  bool end_of_job = false;
  bool everything = false;
  bool force = false;
  bool json = false;
};

int order(const char* command, const OwnerOptions& options, const Json& argument, const std::string& done) {
  auto chosen = choose_manager(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail(command, *fault);
  const Answered answered = order_one(std::get<Manager>(chosen), command, argument);
  if (!answered.fault.empty()) return fail(command, {answered.fault, 1});
  if (options.json) {
    print_json(answered.json);
  } else if (answered.json.contains("leases")) {
    const std::uint64_t leases = answered.json.value("leases", std::uint64_t{0});
    std::printf("%s: %s %s taken back\n", std::string(answered.manager.party.site.text).c_str(),
                count_text(leases, "lease").c_str(), leases == 1 ? "is" : "are");
  } else {
    const bool changed = answered.json.value("changed", !answered.json.contains("changed"));
    std::printf("%s: %s%s\n", std::string(answered.manager.party.site.text).c_str(), done.c_str(),
                changed ? "" : " (it was so already)");
  }
  return 0;
}

int reclaim(const OwnerOptions& options) {
  if (options.subject.empty() && !options.everything)
    return fail("reclaim", {"name what to take back: a lease, a borrower's site, or --all", 2});
  Json argument = Json::object();
  if (!options.subject.empty()) argument["whose"] = options.subject;
  if (options.grace_seconds) argument["grace_seconds"] = *options.grace_seconds;
  if (options.end_of_job) argument["end_of_job"] = true;
  return order("reclaim", options, argument, {});
}

}  // namespace

CLI::App* add_reclaim_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("reclaim", "Take lent nodes back before their lease ends");
  auto options = std::make_shared<OwnerOptions>();
  command->add_option("lease-or-site", options->subject, "A lease (das-3#41) or a borrower's site")
      ->type_name("LEASE|SITE");
  command->add_flag("--all", options->everything, "Everything that the site has lent");
  add_manager_options(*command, options->manager, Role::site_manager);
  auto* grace =
      command->add_option("--grace", options->grace_seconds,
                          "Seconds that running jobs have to end: SIGTERM at once, SIGKILL then (default: "
                          "the site's reclaim_grace_seconds)");
  grace->check(CLI::Range(0.0, 30.0 * 24 * 3600))->type_name("SECONDS");
  command
      ->add_flag("--end-of-job", options->end_of_job, "Let running jobs end by themselves; nothing new is started")
      ->excludes(grace);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "The borrower's job managers hear it at once, and queue the jobs again.\n"
      "\n"
      "Examples:\n"
      "  dmm reclaim das-3#41 --site das-3 --grace 60\n"
      "  dmm reclaim g5k-1 --site das-3\n"
      "  dmm reclaim --all --site das-3 --end-of-job\n");
  command->callback([options, &exit_code] { exit_code = reclaim(*options); });
  return command;
}

namespace {

CLI::App* add_drain_or_resume(CLI::App& app, int& exit_code, const char* name, const char* what,
                              const char* footer, const char* done) {
  auto* command = app.add_subcommand(name, what);
  auto options = std::make_shared<OwnerOptions>();
  command->add_option("borrower", options->subject, "A borrower's site, or the site itself")
      ->required()
      ->type_name("SITE");
  add_manager_options(*command, options->manager, Role::site_manager);
  const bool drains = std::string_view(name) == "drain";
  if (drains) command->add_flag("--force", options->force, "Also a site that isn't known here yet");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(footer);
  command->callback([options, &exit_code, name, done] {
    OwnerOptions chosen = *options;
    chosen.manager = with_environment(chosen.manager, Role::site_manager);
    // Without --site, the named site drains itself.
    if (chosen.manager.site.empty() && chosen.manager.endpoint.empty()) chosen.manager.site = chosen.subject;
    Json argument{{"site", chosen.subject}};
    if (chosen.force) argument["force"] = true;
    exit_code = order(name, chosen, argument, chosen.subject + " " + done);
  });
  return command;
}

}  // namespace

CLI::App* add_drain_command(CLI::App& app, int& exit_code) {
  return add_drain_or_resume(
      app, exit_code, "drain", "Lend nothing more to a borrower, or stop using a site's nodes",
      "Running jobs are not touched; `dmm reclaim` takes their nodes back. A drain outlasts restarts.\n"
      "\n"
      "Examples:\n"
      "  dmm drain das-3                  nothing new starts on the nodes of das-3\n"
      "  dmm drain g5k-1 --site das-3     das-3 lends nothing more to g5k-1\n",
      "is drained");
}

CLI::App* add_resume_command(CLI::App& app, int& exit_code) {
  return add_drain_or_resume(app, exit_code, "resume", "End a drain",
                             "Examples:\n"
                             "  dmm resume das-3\n"
                             "  dmm resume g5k-1 --site das-3\n",
                             "is used again");
}

CLI::App* add_forget_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("forget", "Remove a resource manager that won't come back");
  auto options = std::make_shared<OwnerOptions>();
  command->add_option("resource-manager", options->subject, "Its name; it is down")->required()->type_name("NAME");
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "The site no longer counts its nodes, and leases on them end. If the resource manager comes back, it is "
      "new.\n"
      "\n"
      "Example:\n"
      "  dmm forget fs0-nodes --site das-3\n");
  command->callback([options, &exit_code] {
    exit_code =
        order("forget", *options, {{"resource_manager", options->subject}}, options->subject + " is forgotten");
  });
  return command;
}

namespace {

int expect(const OwnerOptions& options) {
  Json seconds = Json::object();
  for (const std::string& text : options.times) {
    const std::size_t equals = text.find('=');
    const std::string number = equals == std::string::npos ? std::string() : text.substr(equals + 1);
    double value = 0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool is_number = fault == std::errc() && end == number.data() + number.size();
    if (equals == 0 || (!is_number && number != "unknown"))
      return fail("expect", {"expected NAME=SECONDS or NAME=unknown, got \"" + text + '"', 2});
    seconds[text.substr(0, equals)] = is_number ? Json(value) : Json(nullptr);
  }
  return order("expect", options, {{"seconds", seconds}}, "it is noted");
}

}  // namespace

CLI::App* add_expect_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("expect", "Tell for how long the hosts' own users are likely to spare nodes");
  auto options = std::make_shared<OwnerOptions>();
  command->add_option("times", options->times, "A resource manager's name, and seconds from now, or \"unknown\"")
      ->required()
      ->type_name("NAME=SECONDS");
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "A job gets nodes that are likely to be spared for its declared time (`dmm submit --limit-wall`), and of "
      "these\n"
      "the ones that are spared for the least time. Leases carry this time. Batch managers tell it by "
      "themselves.\n"
      "\n"
      "Examples:\n"
      "  dmm expect node01=3600 node02=600 --site das-3\n"
      "  dmm expect node01=unknown --site das-3\n");
  command->callback([options, &exit_code] { exit_code = expect(*options); });
  return command;
}

}  // namespace dmm
