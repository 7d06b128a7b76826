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

/// Asks the job managers of the testbed which requests are elements of arrays: site managers know jobs by number only.
/// Where no job manager can be asked, the numbers stay.
void ask_names(const LeaseOptions& options, std::vector<Json>& sites) {
  constexpr std::size_t names_max = 1'000;
  const JobsOfUsers jobs = jobs_of_leases(sites, names_max);
  if (jobs.empty() || !options.manager.endpoint.empty()) return;
  ManagerOptions any;
  any.testbed = options.manager.testbed;
  auto chosen = choose_managers(any, Role::job_manager);
  const auto* managers = std::get_if<std::vector<Manager>>(&chosen);
  if (managers == nullptr) return;
  ElementNames names;
  for (const Manager& manager : *managers) {
    const std::string user = manager.party.site.text + "/" + manager.party.name;
    const auto of_user = jobs.find(user);
    if (of_user == jobs.end()) continue;
    const Answered answered = ask_one(manager, "names", {{"jobs", of_user->second}});
    const Json elements = object_in(answered.json, "elements");
    for (const auto& [job, element] : elements.items())
      if (element.is_string()) names[user + "/" + job] = user + "/" + element.get<std::string>();
  }
  name_elements(sites, names);
}

/// Sends the same question to every chosen site, and `amend`s the answers. `render` shows them, or they become one JSON
/// object.
template <class Render, class Amend>
int ask_sites(const char* verb, const LeaseOptions& options, Render&& render, Amend&& amend) {
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
  amend(sites);
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
      "In a testbed an element of an array has its name, as in `dmm queue`; elsewhere the number of its job.\n"
      "\n"
      "Examples:\n"
      "  dmm leases\n"
      "  dmm leases --site das-3 --json\n");
  command->callback([options, &exit_code] {
    exit_code = ask_sites("leases", *options, render_leases,
                          [&](std::vector<Json>& sites) { ask_names(*options, sites); });
  });
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
    const auto render = [&](const std::vector<Json>& sites, const Style& style) {
      return render_usage(sites, options->records, style);
    };
    exit_code = ask_sites("usage", *options, render, [](std::vector<Json>&) {});
  });
  return command;
}

}  // namespace dmm
