// `dmm testbed up|down|status`: whole grids on this machine, also several at once.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "cli/testbed/commands.hpp"
#include "cli/testbed/testbed.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/daemon.hpp"

namespace dmm {
namespace {

struct UpOptions {
  TestbedOptions testbed;
  bool json = false;
};

struct DownOptions {
  std::string name;
  std::string keep_logs;
  bool delete_outputs = false;
  bool json = false;
};

struct RestartOptions {
  std::string name;
  std::string which;
  bool kill = false;
  bool json = false;
};

struct StatusOptions {
  std::string name;
  bool json = false;
};

std::size_t count_of(const Testbed& testbed, Role role) {
  std::size_t count = 0;
  for (const TestbedDaemon& daemon : testbed.daemons) count += daemon.party.role == role ? 1 : 0;
  return count;
}

std::string state_of(const Testbed& testbed) {
  const std::size_t alive = count_alive(testbed);
  if (alive == 0) return "dead";
  return alive == testbed.daemons.size() ? "up" : "damaged";
}

Json testbed_json(const Testbed& testbed) {
  Json daemons = Json::array();
  for (const TestbedDaemon& daemon : testbed.daemons)
    daemons.push_back({{"daemon", to_text(daemon.party)},
                       {"pid", daemon.process.id},
                       {"alive", is_alive(daemon.process)},
                       {"endpoint", daemon.endpoint},
                       {"config", daemon.config_file},
                       {"log", daemon.log_file}});
  return {{"name", testbed.name},
          {"state", state_of(testbed)},
          {"topology", testbed.topology},
          {"speedup", testbed.speedup},
          {"created", testbed.created},
          {"folder", testbed.folder},
          {"sites", count_of(testbed, Role::site_manager)},
          {"processes", testbed.daemons.size()},
          {"processes_alive", count_alive(testbed)},
          {"daemons", std::move(daemons)}};
}

int up(const UpOptions& options) {
  const Instant begin = monotonic_now();
  Interrupts interrupts;
  auto topology = load_topology(options.testbed);
  if (auto* fault = std::get_if<TestbedFault>(&topology))
    return fail("testbed up", {fault->text, fault->exit_code});
  auto started = bring_up(std::get<Topology>(topology), options.testbed, interrupts);
  if (auto* fault = std::get_if<TestbedFault>(&started))
    return fail("testbed up", {fault->text, fault->exit_code});
  const auto& testbed = std::get<Testbed>(started);
  const double seconds = (monotonic_now() - begin).in_seconds();
  if (options.json) {
    Json json = testbed_json(testbed);
    json["seconds"] = seconds;
    print_json(json);
    return 0;
  }
  std::printf("testbed %s is up: %s, %s, in %s\n", testbed.name.c_str(),
              count_text(count_of(testbed, Role::site_manager), "site").c_str(),
              (std::to_string(testbed.daemons.size()) + " processes").c_str(), length_text(seconds).c_str());
  if (runs_as_root()) std::fputs("  warning: you are root, and so is every job in it\n", stderr);
  std::printf("  dmm sites --testbed %s\n  dmm testbed down %s\n", testbed.name.c_str(), testbed.name.c_str());
  return 0;
}

/// A testbed by its name or by the file of its topology.
OrFault<Testbed, RegistryFault> find(const std::string& name) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(name, error).string();
  if (name.ends_with(".json"))
    for (Testbed& testbed : all_testbeds())
      if (testbed.topology == path) return std::move(testbed);
  return load_testbed(name);
}

int down(const DownOptions& options) {
  auto found = find(options.name);
  if (auto* fault = std::get_if<RegistryFault>(&found)) return fail("testbed down", {fault->text, 1});
  const auto& testbed = std::get<Testbed>(found);
  std::string logs_to = options.keep_logs;
  if (!logs_to.empty()) logs_to = std::filesystem::absolute(logs_to).string();
  const Removal removal = remove_testbed(testbed, {logs_to, options.delete_outputs});
  if (options.json)
    print_json({{"name", testbed.name},
                {"ended", removal.daemons.ended},
                {"killed", removal.daemons.killed + removal.strays},
                {"left", removal.left},
                {"logs", removal.kept_logs},
                {"outputs", removal.kept_outputs},
                {"fault", removal.fault}});
  if (!removal.fault.empty()) return fail("testbed down", {removal.fault, 1});
  if (removal.left > 0)
    return fail("testbed down", {std::to_string(removal.left) + " processes could not be ended", 1});
  if (options.json) return 0;
  std::printf("testbed %s is down: %zu processes ended", testbed.name.c_str(), removal.daemons.ended);
  if (removal.daemons.killed + removal.strays > 0)
    std::printf(", %zu had to be killed", removal.daemons.killed + removal.strays);
  std::printf("\n");
  if (!removal.kept_logs.empty()) std::printf("logs: %s\n", removal.kept_logs.c_str());
  if (!removal.kept_outputs.empty()) std::printf("output of jobs: %s\n", removal.kept_outputs.c_str());
  return 0;
}

/// Restarts daemons one after another; each is ready before the next. An administrator does the same to a live grid.
int restart(const RestartOptions& options) {
  auto found = find(options.name);
  if (auto* fault = std::get_if<RegistryFault>(&found)) return fail("testbed restart", {fault->text, 1});
  auto& testbed = std::get<Testbed>(found);
  const Instant begin = monotonic_now();
  Json restarted = Json::array();
  for (std::size_t i = 0; i < testbed.daemons.size(); ++i) {
    const std::string name = to_text(testbed.daemons[i].party);
    if (name.find(options.which) == std::string::npos) continue;
    if (const auto fault = restart_daemon(testbed, i, options.kill))
      return fail("testbed restart", {fault->text, fault->exit_code});
    if (!options.json) std::printf("%s is back\n", name.c_str());
    restarted.push_back(name);
  }
  if (restarted.empty())
    return fail("testbed restart", {"no manager of " + testbed.name + " is called like " + options.which, 2});
  const double seconds = (monotonic_now() - begin).in_seconds();
  if (options.json)
    print_json({{"name", testbed.name}, {"restarted", std::move(restarted)}, {"seconds", seconds}});
  else
    std::printf("%s of %s %s restarted in %s\n", count_text(restarted.size(), "manager").c_str(),
                testbed.name.c_str(), restarted.size() == 1 ? "was" : "were", length_text(seconds).c_str());
  return 0;
}

void print_details(const Testbed& testbed) {
  std::printf("topology  %s\nfolder    %s\n", testbed.topology.c_str(), testbed.folder.c_str());
  for (const TestbedDaemon& daemon : testbed.daemons) {
    if (is_alive(daemon.process)) continue;
    std::printf("dead: %s; its last words:\n%s\n", to_text(daemon.party).c_str(), last_words(daemon).c_str());
  }
}

int status(const StatusOptions& options) {
  if (std::string fault = fault_of_home(); !fault.empty()) return fail("testbed status", {std::move(fault), 1});
  std::vector<Testbed> testbeds = all_testbeds();
  if (!options.name.empty()) {
    auto found = find(options.name);
    if (auto* fault = std::get_if<RegistryFault>(&found)) return fail("testbed status", {fault->text, 1});
    testbeds = {std::move(std::get<Testbed>(found))};
  }
  bool all_up = true;
  Table table({{"name"}, {"state"}, {"sites", true}, {"processes", true}, {"alive", true}, {"since"}});
  Json list = Json::array();
  for (const Testbed& testbed : testbeds) {
    all_up = all_up && state_of(testbed) == "up";
    list.push_back(testbed_json(testbed));
    table.add({testbed.name, state_of(testbed), std::to_string(count_of(testbed, Role::site_manager)),
               std::to_string(testbed.daemons.size()), std::to_string(count_alive(testbed)),
               testbed.created.substr(0, 19)});
  }
  const int code = options.name.empty() || all_up ? 0 : 1;
  if (options.json) return print_json(options.name.empty() ? Json{{"testbeds", list}} : list[0]), code;
  if (table.empty()) return std::printf("no testbed is up\n"), 0;
  std::printf("%s", table.text(style_of(STDOUT_FILENO)).c_str());
  if (!options.name.empty()) print_details(testbeds[0]);
  return code;
}

void add_up(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("up", "Start all daemons of a topology, and wait until they are ready");
  auto options = std::make_shared<UpOptions>();
  command->add_option("topology", options->testbed.topology, "The topology (JSON)")->required()->type_name("FILE");
  command->add_option("--name", options->testbed.name, "Its name (default: the topology's)")->type_name("NAME");
  command->add_option("--speedup", options->testbed.speedup, "Divides the cycles of the sites (default 1)")
      ->check(CLI::Range(1e-3, 1e9))
      ->type_name("X");
  command->add_option("--set", options->testbed.overrides, "A key of the topology, as in defaults.lend=false")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  auto* tcp =
      command
          ->add_option("--tcp", options->testbed.first_port,
                       "Managers speak over tcp ports of this machine, from this one on, with keys of their own")
          ->check(CLI::Range(1024, 60000))
          ->type_name("PORT");
  command
      ->add_option("--hosts", options->testbed.first_host,
                   "With --tcp: an address for each site, from this one on (default: 127.0.0.1 for all)")
      ->needs(tcp)
      ->check(CLI::ValidIPV4)
      ->type_name("ADDRESS");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Examples:\n"
      "  dmm testbed up topologies/two-sites.json\n"
      "  dmm testbed up topologies/dual-grid.json --name second --set defaults.delegation_threshold=0.9\n"
      "  dmm testbed up topologies/two-sites.json --tcp 7700 --hosts 127.0.1.1\n");
  command->callback([options, &exit_code] { exit_code = up(*options); });
}

void add_down(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("down", "Stop a testbed and remove its leftovers, also after a crash");
  auto options = std::make_shared<DownOptions>();
  command->add_option("name", options->name, "Its name, or the file of its topology")
      ->required()
      ->type_name("NAME");
  command->add_option("--keep-logs", options->keep_logs, "Move its logs to this folder")->type_name("FOLDER");
  command->add_flag("--delete-outputs", options->delete_outputs,
                    "Delete the jobs' output; otherwise it is kept, and its folder is printed");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Examples:\n"
      "  dmm testbed down two-sites\n"
      "  dmm testbed down two-sites --keep-logs /tmp/two-sites-logs\n");
  command->callback([options, &exit_code] { exit_code = down(*options); });
}

void add_restart(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("restart", "Restart managers one after the other while the grid goes on");
  auto options = std::make_shared<RestartOptions>();
  command->add_option("name", options->name, "Its name, or the file of its topology")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--which", options->which,
                   "Only managers with this in their names, as in \"sitemgr\" or \"das-0\"")
      ->type_name("TEXT");
  command->add_flag("--kill", options->kill, "End them by SIGKILL, as a crash would");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Each goes on from its ledger; running jobs run on.\n"
      "\n"
      "Examples:\n"
      "  dmm testbed restart dual-grid\n"
      "  dmm testbed restart dual-grid --which \"resmgr das-0\" --kill\n");
  command->callback([options, &exit_code] { exit_code = restart(*options); });
}

void add_status(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("status", "List the testbeds of this user, or look at one");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("name", options->name, "Its name, or the file of its topology")->type_name("NAME");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Exit code: 1 if a daemon of the named testbed is dead.\n"
      "\n"
      "Examples:\n"
      "  dmm testbed status\n"
      "  dmm testbed status two-sites --json\n");
  command->callback([options, &exit_code] { exit_code = status(*options); });
}

}  // namespace

CLI::App* add_testbed_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("testbed", "Start and stop grids on this machine");
  command->require_subcommand(1);
  add_up(*command, exit_code);
  add_down(*command, exit_code);
  add_restart(*command, exit_code);
  add_status(*command, exit_code);
  command->footer(
      "Examples:\n"
      "  dmm testbed up topologies/two-sites.json\n"
      "  dmm testbed status\n"
      "  dmm testbed down two-sites\n");
  return command;
}

}  // namespace dmm
