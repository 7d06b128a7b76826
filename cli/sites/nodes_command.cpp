// `dmm nodes`: the nodes that sites own, each with its state and its current user.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/sites/batch_question.hpp"
#include "cli/sites/batch_report.hpp"
#include "cli/sites/commands.hpp"
#include "cli/sites/leases_report.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct NodesOptions {
  ManagerOptions manager;
  NodeFilter filter;
  std::string batch;  ///< the endpoint of a batch manager; empty: none
  bool json = false;
};

/// The clusters that sites have set aside; `by` is the site that places nothing there.
Json asides_of(const std::vector<Json>& sites) {
  Json all = Json::array();
  for (const Json& site : sites)
    for (Json row : rows_in(site, "clusters_aside")) {
      row["by"] = text_in(site, "site");
      all.push_back(std::move(row));
    }
  return all;
}

int run(const NodesOptions& options) {
  auto chosen = choose_managers(options.manager, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("nodes", *fault);
  std::vector<Json> sites;
  std::vector<std::string> faults;
  for (Answered& answered : ask_all(std::get<std::vector<Manager>>(chosen), "nodes")) {
    const std::string fault = answered.fault.empty() ? add_pages(answered, "nodes") : answered.fault;
    if (!fault.empty()) faults.push_back(fault);
    if (!answered.fault.empty()) continue;
    sites.push_back({{"site", answered.manager.party.site.text}});
    sites.back().update(answered.json);
  }
  const Answered answered = ask_batch_manager(options.batch);
  const Json& batch = answered.json;
  if (!answered.fault.empty()) faults.push_back(answered.fault);
  const std::vector<Json> rows = without_returned(nodes_that_pass(sites, options.filter), batch);
  if (options.json) {
    Json all{{"nodes", rows}, {"clusters_aside", asides_of(sites)}, {"faults", faults}};
    if (!batch.is_null()) all["batch"] = batch;
    print_json(all);
  } else {
    const Style style = style_of(STDOUT_FILENO);
    const char* const none =
        options.filter.wants_all() ? "no resource manager offers a node now\n" : "no such nodes\n";
    std::printf("%s%s", render_nodes(rows, style, none).c_str(), render_clusters_aside(sites, style).c_str());
    if (!batch.is_null()) std::printf("%s", render_batch(batch, rows, style).c_str());
  }
  for (const std::string& fault : faults) fail("nodes", {fault, 1});
  return faults.empty() ? 0 : 1;
}

}  // namespace

CLI::App* add_nodes_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("nodes", "List the nodes of sites: their states with reasons, and their users");
  auto options = std::make_shared<NodesOptions>();
  add_manager_options(*command, options->manager, Role::site_manager);
  command->add_option("--state", options->filter.states, "Only nodes in this state; may be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"free", "leased", "cleaning", "set_aside", "down"}))
      ->type_name("STATE");
  command
      ->add_option("--resource-manager", options->filter.resource_manager, "Only nodes of this resource manager")
      ->type_name("NAME");
  command->add_option("--cluster", options->filter.cluster, "Only nodes of this cluster")->type_name("CLUSTER");
  add_batch_manager_option(*command, options->batch, "A batch manager, for the nodes that its batch system has");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Nodes that are alike share a line; their numbers are those of their resource manager. States:\n"
      "  free        a job could start there now, unless \"reason\" says otherwise\n"
      "  leased      under a lease; \"lent to\" is the neighbour that has it, else a user of the site\n"
      "  cleaning    its lease is over, and its resource manager has yet to say that nothing runs there\n"
      "  set aside   nothing starts there for a while; \"reason\" says why\n"
      "  down        its resource manager is silent; a lease may still be on it\n"
      "With a batch manager, a second table has all nodes of its batch system:\n"
      "  local job   a job of the batch system's own users has it\n"
      "  held, lent  a pilot holds it: it is offered, or under a lease\n"
      "  holding     a pilot for it is under way\n"
      "  idle        \"not held, because\" says why it isn't offered; so it does for reserved,\n"
      "              drained and down\n"
      "Below the tables: where jobs of different sites run under one account (\"users_apart\" with --json), and\n"
      "clusters of other sites on which a site places no jobs for a while, since their hosts failed jobs.\n"
      "\n"
      "Examples:\n"
      "  dmm nodes\n"
      "  dmm nodes --batchmgr ipc:///var/lib/dmm/batch/batchmgr.ipc\n"
      "  dmm nodes --site das-3 --state down --state set_aside\n"
      "  dmm nodes --sitemgr tcp://head.example.org:7700#KEY --as-site das-3 --json\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
