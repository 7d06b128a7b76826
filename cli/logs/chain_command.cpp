// `dmm chain REQUEST`: how a request found its nodes, from the logs of all daemons, while they run or long after.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/logs/chain_picture.hpp"
#include "cli/logs/commands.hpp"
#include "cli/logs/delegation_chain.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/registry.hpp"
#include "cli/managers/run_folder.hpp"
#include "cli/managers/shipped.hpp"
#include "cli/terminal/output.hpp"
#include "protocol/text.hpp"
#include "runtime/files.hpp"
#include "topologies/topology.hpp"

namespace dmm {
namespace {

struct ChainOptions {
  std::string request;
  std::string logs;
  std::string testbed;
  std::string picture;   ///< the file to draw into
  std::string topology;  ///< for the picture
  bool json = false;
};

/// The folder of the logs: the one that was named, the testbed's, or the last run's.
OrFault<std::string, CommandFault> logs_of(const ChainOptions& options) {
  if (!options.logs.empty()) return options.logs;
  auto chosen = choose_testbed(options.testbed);
  if (const auto* testbed = std::get_if<Testbed>(&chosen)) return testbed->logs();
  auto& fault = std::get<CommandFault>(chosen);
  if (!options.testbed.empty() || fault.exit_code == 2) return std::move(fault);
  if (std::string last = last_run_folder(); !last.empty()) return last;
  return CommandFault{"no testbed is up and no run was made; name the folder of the logs with --logs", 1};
}

/// Draws the last attempt on the map of its grid.
int draw_picture(const ChainOptions& options, const DelegationChain& chain) {
  const auto topology = read_topology(shipped(options.topology));
  if (const auto* fault = std::get_if<ConfigError>(&topology)) return fail("chain", {fault->text, 2});
  const std::string fault = replace_file(options.picture, chain_picture(std::get<Topology>(topology), chain));
  if (!fault.empty()) return fail("chain", {"--svg: " + fault, 1});
  print_lines({"drawn: " + options.picture});
  return 0;
}

int run(const ChainOptions& options) {
  auto parsed = parse_job(options.request);
  if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail("chain", *fault);
  JobName job = std::get<JobName>(parsed);
  if (job.site.empty())
    return fail(
        "chain",
        {"name the site and the user of job " + options.request + ", as in das-0/alice/" + options.request, 2});
  auto logs = logs_of(options);
  if (auto* fault = std::get_if<CommandFault>(&logs)) return fail("chain", *fault);
  const std::string& folder = std::get<std::string>(logs);
  if (job.index) {
    job.job = find_element(folder, {SiteName(job.site), job.user, job.job, 1}, *job.index);
    if (job.job == 0) return fail("chain", {"the logs in " + folder + " say nothing about " + options.request, 1});
  }
  const RequestId request{SiteName(job.site), job.user, job.job, 1};
  auto records = find_records(folder, request);
  if (auto* fault = std::get_if<LogFault>(&records))
    return fail("chain", {fault->text, options.logs.empty() ? 1 : 2});
  std::vector<DelegationChain> chains = rebuild_chains(std::get<std::vector<LogRecord>>(records));
  if (job.attempt > 0)
    std::erase_if(chains, [&](const DelegationChain& chain) {
      const auto id = parse_request_id(chain.request);
      return !id || id->attempt != job.attempt;
    });
  std::erase_if(chains, [&](const DelegationChain& chain) {  // a lease may have served another request
    const auto id = parse_request_id(chain.request);
    return !id || id->site.text != job.site || id->user != job.user || id->job != job.job;
  });
  if (chains.empty()) return fail("chain", {"the logs in " + folder + " say nothing about " + options.request, 1});
  name_elements(chains, names_of_elements(folder, jobs_of(chains)));
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const DelegationChain& chain : chains) list.push_back(to_json(chain));
    print_json({{"logs", folder}, {"attempts", std::move(list)}});
    return 0;
  }
  if (!options.picture.empty()) return draw_picture(options, chains.back());
  const Style style = style_of(STDOUT_FILENO);
  for (const DelegationChain& chain : chains) print_lines(draw_chain(chain, style));
  return 0;
}

}  // namespace

CLI::App* add_chain_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("chain", "Draw the delegation chain of a request, from the logs");
  auto options = std::make_shared<ChainOptions>();
  command->add_option("request", options->request, "A job, as in das-0/alice/17")
      ->required()
      ->type_name("REQUEST");
  command
      ->add_option("--logs", options->logs, "The folder of the logs (default: the testbed's, else the last run's)")
      ->type_name("FOLDER");
  command->add_option("--testbed", options->testbed, "A testbed that is up (default: the only one)")
      ->type_name("NAME");
  auto* json = command->add_flag("--json", options->json, "Print a JSON object");
  auto* topology = command->add_option("--topology", options->topology, "With --svg: the file of the grid")
                       ->type_name("TOPOLOGY");
  auto* picture =
      command->add_option("--svg", options->picture, "Draw the last attempt on the grid's map into this file")
          ->type_name("FILE")
          ->needs(topology)
          ->excludes(json);
  topology->needs(picture);
  command->footer(
      "Times are milliseconds since the first record; the tree shows which sites each site asked, and\n"
      "their answers. The chain is rebuilt from the logs of all processes, so it also works when they have "
      "ended.\n"
      "\n"
      "Examples:\n"
      "  dmm chain das-0/u0/17\n"
      "  dmm chain das-0/u0/17 --logs /tmp/two-sites-logs --json\n"
      "  dmm chain das-0/u0/17 --topology topologies/dual-grid.json --svg chain.svg\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
