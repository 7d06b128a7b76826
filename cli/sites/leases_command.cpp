// `dmm leases`: which nodes are leased to which site, as each site sees it. `dmm usage`: how much each site lent to
// each.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/commands.hpp"
#include "cli/sites/leases_report.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct LeaseOptions {
  ManagerOptions manager;
  bool records = false;
  bool json = false;
};

/// Sends the same question to every chosen site. `render` shows the answers, or they become one JSON object.
template <class Render>
int ask_sites(const char* verb, const LeaseOptions& options, Render&& render) {
  auto chosen = choose_managers(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail(verb, *fault);
  std::vector<Json> sites;
  std::vector<std::string> faults;
  for (const Answered& answered : ask_all(std::get<std::vector<Manager>>(chosen), verb)) {
    if (!answered.fault.empty()) {
      faults.push_back(answered.fault);
      continue;
    }
    sites.push_back({{"site", answered.manager.party.site.text}});
    sites.back().update(answered.json);
  }
  // If no site answered, an empty list would claim that there are no leases.
  if (options.json)
    print_json({{"sites", std::move(sites)}, {"faults", faults}});
  else if (!sites.empty() || faults.empty())
    std::printf("%s", render(sites, style_of(STDOUT_FILENO)).c_str());
  for (const std::string& fault : faults) fail(verb, {fault, 1});
  return faults.empty() ? 0 : 1;
}

}  // namespace

CLI::App* add_leases_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("leases", "List leases, hop by hop");
  auto options = std::make_shared<LeaseOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Every site of a chain shows the lease: \"from\" is its neighbour towards the owner, \"to\" the one\n"
      "towards the borrower; neither is set where the owner's own users have the nodes. A lease may serve\n"
      "several jobs one after the other: \"granted for\" is the first, \"used by\" the job that has its nodes "
      "now.\n"
      "A job with several leases is shown once more below, with all of them.\n"
      "\n"
      "Examples:\n"
      "  dmm leases\n"
      "  dmm leases --site das-3 --json\n");
  command->callback([options, &exit_code] { exit_code = ask_sites("leases", *options, render_leases); });
  return command;
}

CLI::App* add_usage_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("usage", "Show the processor-hours that sites lent to one another");
  auto options = std::make_shared<LeaseOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_flag("--records", options->records, "A line for each lease instead of sums");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Leases that have ended are on record; sums are by neighbour and direction.\n"
      "\n"
      "Examples:\n"
      "  dmm usage\n"
      "  dmm usage --site das-3 --records\n");
  command->callback([options, &exit_code] {
    exit_code = ask_sites("usage", *options, [&](const std::vector<Json>& sites, const Style& style) {
      return render_usage(sites, options->records, style);
    });
  });
  return command;
}

}  // namespace dmm
