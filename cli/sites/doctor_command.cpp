// `dmm doctor`: whether a site on a batch system has all that lending and borrowing need.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/node_examination.hpp"
#include "batchmgr/runner/command_runner.hpp"
#include "cli/sites/batch_configuration.hpp"
#include "cli/sites/commands.hpp"
#include "cli/sites/examination.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct DoctorOptions {
  std::string config;
  std::vector<std::string> nodes;
  bool json = false;
};

/// The clock of this host: seconds since 1970.
double clock_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<Finding> examine_there(const BatchSystem& system, const BatchSettings& settings,
                                   const std::string& node) {
  if (!system.try_on)
    return {{FindingKind::look, "node " + node, std::string(system.name) + " can't run a command there at once",
             "look there: DMM's programs, a folder that can be written, and a way to " + settings.node_endpoint}};
  constexpr Duration try_max = seconds(20);
  const double began = clock_now();
  const std::vector<CommandEnded> ended = run_all({system.try_on(settings, node, node_script(settings))}, try_max);
  return examine_node(settings, node, ended.front(), began, clock_now(), DMM_VERSION);
}

int doctor(const DoctorOptions& options) {
  const auto read = batch_configuration(options.config);
  if (const auto* fault = std::get_if<CommandFault>(&read)) return fail("doctor", *fault);
  const auto& [settings, system] = std::get<BatchConfiguration>(read);
  std::vector<Examined> all;
  all.push_back({std::string(system->name),
                 system->examine(settings, run_all(system->questions(settings), settings.command_max))});
  all.push_back({"managers of " + std::string(settings.site.text), examine_managers(settings)});
  for (const std::string& node : options.nodes)
    all.push_back({"node " + node, examine_there(*system, settings, node)});
  const std::size_t changes = changes_in(all);
  if (options.json) {
    print_json(examination_json(all));
  } else {
    std::printf("%s", render_examination(all, style_of(STDOUT_FILENO)).c_str());
    if (changes > 0 && system->name == "slurm")
      std::printf("\n`dmm slurm configure --config %s` shows the changes of slurm.conf\n", options.config.c_str());
  }
  return changes == 0 ? 0 : 1;
}

}  // namespace

CLI::App* add_doctor_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("doctor", "Check what a site on a batch system needs for lending and borrowing");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("--config", options->config, "The batch manager's configuration")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--node", options->nodes,
                   "Also run a check on this node, which has to be idle; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Each line says ok, look (a person has to judge), or change (with what to change, and where).\n"
      "Nothing is changed. Exit code 1 if there is something to change.\n"
      "\n"
      "Examples:\n"
      "  dmm doctor --config /etc/dmm/batch.json\n"
      "  dmm doctor --config /etc/dmm/batch.json --node n17\n");
  command->callback([options, &exit_code] { exit_code = doctor(*options); });
  return command;
}

}  // namespace dmm
