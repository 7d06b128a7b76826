// `dmm sites`: the state of every site and of every link, each as that site sees it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/batch_question.hpp"
#include "cli/sites/batch_report.hpp"
#include "cli/sites/commands.hpp"
#include "cli/sites/sites_report.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct SitesOptions {
  ManagerOptions manager;
  std::string batchmgr;
  bool json = false;
};

constexpr int something_down = 3;

int run(const SitesOptions& options) {
  auto chosen = choose_managers(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("sites", *fault);
  const auto& managers = std::get<std::vector<Manager>>(chosen);
  const auto answers = ask_all(managers, std::vector<std::string>{"site", "links"});
  std::vector<Json> sites;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < managers.size(); ++i) {
    const Answered &site = answers[0][i], &links = answers[1][i];
    const std::string& fault = site.fault.empty() ? links.fault : site.fault;
    if (!fault.empty()) faults.push_back(fault);
    sites.push_back(fault.empty() ? site_with_sessions(site.json, links.json)
                                  : site_without_answer(managers[i].party.site.text, fault));
  }
  const Answered batch = ask_batch_manager(options.batchmgr);
  if (!batch.fault.empty()) faults.push_back(batch.fault);
  const std::vector<std::string> trusted = trusted_by(batch.json);
  const bool all_well = faults.empty() && !is_anything_down(sites);
  const int code = all_well ? 0 : something_down;
  if (options.json) return print_json({{"sites", std::move(sites)}, {"trusts", trusted}}), code;
  std::printf("%s", render_sites(sites, style_of(STDOUT_FILENO)).c_str());
  print_lines(trusted);
  for (const std::string& fault : faults) fail("sites", {fault, something_down});
  return code;
}

}  // namespace

CLI::App* add_sites_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("sites", "Show the state of every site and link");
  auto options = std::make_shared<SitesOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  add_batch_manager_option(*command, options->batchmgr, "A batch manager, for the owners that its cluster trusts");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "A link is shown from both ends. \"leases in\" came over it, \"leases out\" went over it; \"window\" is\n"
      "the number of delegations under way on it, and the greatest number allowed. Borrowers with less\n"
      "\"processor s / weight\" are served first where there isn't enough for all. Columns that don't fit\n"
      "beside the others stand below their row. Resource managers that are down, nodes that are set aside, drains "
      "and\n"
      "strangers that try to connect follow, each on a line; with a batch manager also owners that have its key.\n"
      "Exit code: 0 if all is well, 3 if a site manager, a resource manager or a link is down.\n"
      "\n"
      "Examples:\n"
      "  dmm sites\n"
      "  dmm sites --site das-0\n"
      "  dmm sites --sitemgr tcp://head.example.org:7700#KEY --as-site das-0 --json\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
