// `dmm whatif`: the same jobs under several settings of the same grid, side by side. The real managers run in virtual
// time, so the result is what a site would do.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/managers/questions.hpp"
#include "cli/simulate/commands.hpp"
#include "cli/simulate/simulation.hpp"
#include "cli/simulate/simulation_settings.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

struct WhatIfOptions {
  SimulationChoice choice;
  std::vector<std::string> tries;
  std::string site;
  bool json = false;
};

/// A named group of settings to try.
struct Trial {
  std::string name;
  std::vector<std::string> settings;
};

struct Tried {
  Trial trial;
  SimulationRun run;
};

/// "NAME: key=value; key=value"; without a name the settings are the name.
OrFault<Trial, CommandFault> trial_of(const std::string& text) {
  Trial trial;
  std::string rest = text;
  const std::size_t colon = text.find(": ");
  if (colon != std::string::npos && text.find('=') > colon) {
    trial.name = text.substr(0, colon);
    rest = text.substr(colon + 2);
  }
  for (std::size_t start = 0; start < rest.size();) {
    const std::size_t end = std::min(rest.find(';', start), rest.size());
    std::string setting = rest.substr(start, end - start);
    setting.erase(0, setting.find_first_not_of(' '));
    setting.erase(setting.find_last_not_of(' ') + 1);
    if (!setting.empty()) trial.settings.push_back(std::move(setting));
    start = end + 1;
  }
  if (trial.settings.empty())
    return CommandFault{"--try \"" + text + "\": expected \"key=value\" or \"name: key=value; key=value\"", 2};
  if (trial.name.empty()) trial.name = rest;
  return trial;
}

CommandFault fault_of(const Trial& trial, CommandFault fault) {
  if (!trial.settings.empty()) fault.text = "--try \"" + trial.name + "\": " + fault.text;
  return fault;
}

/// A trial that is ready to run.
struct Prepared {
  Trial trial;
  SimulationChoice choice;
  SimulationInput input;
};

OrFault<Prepared, CommandFault> prepare(SimulationChoice choice, Trial trial) {
  choice.overrides.insert(choice.overrides.end(), trial.settings.begin(), trial.settings.end());
  auto input = prepare_simulation(choice);
  if (auto* fault = std::get_if<CommandFault>(&input)) return fault_of(trial, *fault);
  return Prepared{std::move(trial), std::move(choice), std::get<SimulationInput>(std::move(input))};
}

OrFault<Tried, CommandFault> simulate(const Prepared& prepared) {
  auto workload = prepared.input.workload.open();
  if (auto* fault = std::get_if<CommandFault>(&workload)) return *fault;
  auto run = run_simulation(prepared.choice, prepared.input, std::get<OpenWorkload>(workload), {});
  if (auto* fault = std::get_if<CommandFault>(&run)) return *fault;
  return Tried{prepared.trial, std::get<SimulationRun>(std::move(run))};
}

/// The figures of the jobs of one site's users, or of all users.
HomeFigures figures_at(const SimulationRun& run, const Grid& grid, const std::string& site) {
  HomeFigures sum;
  for (std::size_t i = 0; i < run.homes.size(); ++i) {
    const std::string& name = grid.clusters[i].name;
    if (site.empty() || name == site || name.starts_with(site + "/")) sum += run.homes[i];
  }
  return sum;
}

/// "+12 %"; empty if there is no value to compare with.
std::string change_text(double value, double before) {
  if (before <= 0) return value > 0 ? "new" : "";
  const double change = value / before - 1;
  return (change < 0 ? "-" : "+") + decimal(std::abs(change) * 100, std::abs(change) < 0.1 ? 1 : 0) + " %";
}

std::uint64_t messages_of(const SimulationRun& run) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : run.totals.messages) sum += count;
  return sum;
}

double away_share(const HomeFigures& figures) {
  const double all = figures.goodput();
  return all > 0 ? 1 - figures.goodput_processor_seconds[static_cast<std::size_t>(Origin::local)] / all : 0;
}

Json json_of(const Tried& tried, const Grid& grid, const std::string& site) {
  const Summary& f = tried.run.figures;
  const HomeFigures at = figures_at(tried.run, grid, site);
  Json row{{"name", tried.trial.name},
           {"settings", tried.trial.settings},
           {"jobs_submitted", f.jobs_submitted},
           {"jobs_finished", f.jobs_finished},
           {"average_wait_seconds", f.average_wait_seconds},
           {"average_bounded_slowdown", f.average_bounded_slowdown},
           {"utilisation", f.utilisation},
           {"goodput_elsewhere", away_share(figures_at(tried.run, grid, ""))},
           {"messages", messages_of(tried.run)}};
  if (!site.empty())
    row["site"] = {{"name", site},
                   {"jobs_finished", at.jobs_finished},
                   {"average_wait_seconds", at.average_wait_seconds()},
                   {"goodput_elsewhere", away_share(at)}};
  return row;
}

std::string table_of(const std::vector<Tried>& all, const Grid& grid, const std::string& site,
                     const Style& style) {
  std::vector<Table::Column> columns{{"settings"},   {"finished", true},  {"wait", true},
                                     {"", true},     {"slowdown", true},  {"", true},
                                     {"used", true}, {"elsewhere", true}, {"messages a job", true}};
  if (!site.empty()) columns.insert(columns.end(), {{site + ": wait", true}, {"", true}, {"elsewhere", true}});
  Table table(std::move(columns));
  const Summary& base = all.front().run.figures;
  const double base_wait = figures_at(all.front().run, grid, site).average_wait_seconds();
  for (const Tried& tried : all) {
    const Summary& f = tried.run.figures;
    const bool first = &tried == &all.front();
    const double jobs = static_cast<double>(std::max<std::uint64_t>(1, f.jobs_submitted));
    std::vector<std::string> row{
        harmless(tried.trial.name),
        grouped(f.jobs_finished),
        length_text(f.average_wait_seconds),
        first ? "" : change_text(f.average_wait_seconds, base.average_wait_seconds),
        decimal(f.average_bounded_slowdown, 2),
        first ? "" : change_text(f.average_bounded_slowdown, base.average_bounded_slowdown),
        percent(f.utilisation),
        percent(away_share(figures_at(tried.run, grid, ""))),
        decimal(static_cast<double>(messages_of(tried.run)) / jobs, 1)};
    if (!site.empty()) {
      const HomeFigures at = figures_at(tried.run, grid, site);
      row.push_back(length_text(at.average_wait_seconds()));
      row.push_back(first ? "" : change_text(at.average_wait_seconds(), base_wait));
      row.push_back(percent(away_share(at)));
    }
    table.add(std::move(row));
  }
  return table.text(style);
}

std::optional<CommandFault> fault_of_site(const Topology& topology, const std::string& site) {
  if (site.empty() || find_site(topology, SiteName(site))) return std::nullopt;
  return CommandFault{"--site: the topology " + topology.name + " has no site \"" + site + "\"", 2};
}

int run(const WhatIfOptions& options) {
  std::vector<Trial> trials{{"as it is", {}}};
  for (const std::string& text : options.tries) {
    auto trial = trial_of(text);
    if (auto* fault = std::get_if<CommandFault>(&trial)) return fail("whatif", *fault);
    trials.push_back(std::get<Trial>(std::move(trial)));
  }
  auto topology = topology_of(options.choice);
  if (auto* fault = std::get_if<CommandFault>(&topology)) return fail("whatif", *fault);
  if (auto fault = fault_of_site(std::get<Topology>(topology), options.site)) return fail("whatif", *fault);
  std::vector<Prepared> all_prepared;
  for (Trial& trial : trials) {  // a mistake in the last trial is reported before the first runs
    auto prepared = prepare(options.choice, std::move(trial));
    if (auto* fault = std::get_if<CommandFault>(&prepared)) return fail("whatif", *fault);
    all_prepared.push_back(std::get<Prepared>(std::move(prepared)));
  }
  std::vector<Tried> all;
  for (const Prepared& prepared : all_prepared) {
    const std::string name = harmless(prepared.trial.name);
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\rsimulating: %s ...\x1b[K", name.c_str());
    auto tried = simulate(prepared);
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\x1b[K");
    if (auto* fault = std::get_if<CommandFault>(&tried)) return fail("whatif", *fault);
    all.push_back(std::get<Tried>(std::move(tried)));
  }
  auto given = replaced_in(options.choice);
  if (auto* fault = std::get_if<CommandFault>(&given)) return fail("whatif", *fault);
  const auto& replaced = std::get<std::vector<Replacement>>(given);
  const SimulationInput& input = all_prepared.front().input;
  const std::string title = title_of(options.choice, input);
  if (options.json) {
    Json rows = Json::array();
    for (const Tried& tried : all) rows.push_back(json_of(tried, input.grid, options.site));
    const Json all_told{{"title", title}, {"replaced", to_json(replaced)}, {"runs", rows}};
    return std::printf("%s\n", all_told.dump(2).c_str()) < 0;
  }
  const Style style = style_of(STDOUT_FILENO);
  std::printf("%s\n\n%s", style.paint(Ink::bold, title).c_str(),
              table_of(all, input.grid, options.site, style).c_str());
  for (const std::string& note : all.front().run.notes)
    std::printf("%s\n", style.paint(Ink::dim, harmless(note)).c_str());
  for (const Replacement& one : replaced)
    std::printf("%s\n", style.paint(Ink::dim, "replaced: " + to_text(one, input.topology.sites.size())).c_str());
  return 0;
}

constexpr const char* whatif_footer =
    "A try is one or more keys of the topology with new values, as with --set; sites and clusters go by name:\n"
    "  defaults.delegation_threshold=0.8                another threshold everywhere\n"
    "  sites.alpha.settings.policies.target=best_fit    another policy at one site\n"
    "  sites.alpha.siblings=[\"beta\",\"gamma\"]           a new sibling\n"
    "  sites.alpha.clusters.nodes.quota=0.5             a quota\n"
    "  sites.beta.clusters.nodes.nodes=64               a bigger cluster\n"
    "\n"
    "Examples:\n"
    "  dmm whatif topologies/two-sites.json --workload workloads/two-sites-morning.swf.gz --site alpha \\\n"
    "    --try 'keep to ourselves: sites.alpha.settings.lend=false' \\\n"
    "    --try 'twice beta: sites.beta.clusters.nodes.nodes=32'\n"
    "  dmm whatif grid.json --recording /var/log/dmm --try defaults.delegation_threshold=0.8\n";

}  // namespace

CLI::App* add_whatif_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("whatif", "Replay a recording or a trace under several settings, side by side");
  auto options = std::make_shared<WhatIfOptions>();
  command->add_option("topology", options->choice.topology, "The topology as it is")
      ->required()
      ->type_name("FILE");
  add_workload_options(*command, options->choice.workload);
  command->add_option("--set", options->choice.overrides, "A key of the topology for all runs")
      ->type_name("KEY=VALUE");
  command->add_option("--try", options->tries, "Settings to try: \"key=value\" or \"name: key=value; key=value\"")
      ->required()
      ->allow_extra_args(false)
      ->type_name("TEXT");
  command->add_option("--site", options->site, "Also show what this site's own users get")->type_name("SITE");
  command->add_option("--seed", options->choice.seed, "Seed of all random numbers (default 1)")->type_name("N");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(whatif_footer);
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
