#include "cli/simulate/simulation.hpp"

#include <algorithm>

#include "simulator/architectures/engine.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

/// Names for people: only the site's name if it has one cluster, else both names.
void name_clusters(const Topology& topology, SimulationInput& input) {
  const std::vector<WorkloadHome> homes = workload_homes(topology);
  for (std::size_t i = 0; i < homes.size() && i < input.grid.clusters.size(); ++i) {
    const TopologySite& site = topology.sites[homes[i].site];
    std::string& name = input.grid.clusters[i].name;
    name = site.clusters.size() == 1 ? std::string(site.name.text) : site.name.text + "/" + name;
  }
  for (const TopologySite& site : topology.sites) input.root_names.push_back(site.name.text);
  for (const TopologyLink& link : links_of(topology))
    input.links.push_back({topology.sites[link.dialler].name.text, topology.sites[link.listener].name.text});
}

OrFault<SimulationInput, CommandFault> prepare_grid(const SimulationChoice& choice) {
  if (auto fault = fault_of_architecture(choice.architecture)) return *fault;
  if (!choice.changes.empty() && choice.architecture == "dmm")
    return CommandFault{
        "--change: dmm is the real managers, and can't be changed in mid-run; choose another "
        "--architecture",
        2};
  auto topology = topology_of(choice);
  if (auto* fault = std::get_if<CommandFault>(&topology)) return *fault;
  SimulationInput input;
  input.topology = std::get<Topology>(std::move(topology));
  input.grid = grid_of(input.topology);
  name_clusters(input.topology, input);
  auto dmm = dmm_options_of(choice);
  if (auto* fault = std::get_if<CommandFault>(&dmm)) return *fault;
  input.dmm = std::get<DmmOptions>(dmm);
  return input;
}

}  // namespace

bool has_cool_down(const SimulationChoice& choice) { return choice.cool_down.value_or(!choice.sites.paper); }

std::optional<CommandFault> fault_of_architecture(const std::string& name, bool may_be_dmm) {
  if ((name == "dmm" && may_be_dmm) || find_architecture(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  if (may_be_dmm) names.push_back("dmm");
  for (const ArchitectureEntry& entry : architectures()) names.emplace_back(entry.name);
  return CommandFault{
      "there is no architecture \"" + name + "\"" + suggestion(name, names) + "; there are " + list_of(names), 2};
}

OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice) {
  auto input = prepare_grid(choice);
  if (auto* ready = std::get_if<SimulationInput>(&input)) {
    auto workload = WorkloadSource::make(choice.workload, ready->grid, choice.seed);
    if (auto* fault = std::get_if<CommandFault>(&workload)) return *fault;
    ready->workload = std::get<WorkloadSource>(std::move(workload));
  }
  return input;
}

OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice,
                                                          const WorkloadSource& workload) {
  auto input = prepare_grid(choice);
  if (auto* ready = std::get_if<SimulationInput>(&input)) ready->workload = workload;
  return input;
}

OrFault<SimulationRun, CommandFault> run_simulation(const SimulationChoice& choice, const SimulationInput& input,
                                                    OpenWorkload& workload, const SimulationSinks& sinks) {
  SimulationRun run;
  run.homes.resize(input.grid.clusters.size());
  SummaryBuilder figures;
  SimulationSinks all = sinks;
  all.outcome = [&](const SimulatedOutcome& ended) {
    figures.add(ended.outcome);
    run.homes.at(ended.job.home).add(ended.outcome);
    if (sinks.outcome) sinks.outcome(ended);
  };
  SimulationOptions options;
  options.cool_down = has_cool_down(choice);
  options.sample_every = choice.sample_every;
  options.seed = choice.seed;
  options.changes = choice.changes;
  ModelParameters parameters = choice.parameters;
  if (choice.sites.cycle_seconds) parameters.cycle = from_seconds(*choice.sites.cycle_seconds);
  if (choice.architecture == "dmm")
    run.totals = simulate_dmm(input.topology, workload.jobs, input.dmm, options, all);
  else
    run.totals = run_model({.grid = input.grid,
                            .architecture = *find_architecture(choice.architecture),
                            .jobs = workload.jobs,
                            .parameters = parameters,
                            .options = options,
                            .sinks = all});
  if (workload.replay && !workload.replay->error().empty()) return CommandFault{workload.replay->error(), 2};
  run.ended_seconds = (run.totals.ended - Instant{}).in_seconds();
  run.figures = figures.summary(input.grid.processors(),
                                options.cool_down ? std::nullopt : std::optional(run.ended_seconds));
  run.notes = input.workload.notes(workload);
  return run;
}

std::string title_of(const SimulationChoice& choice, const SimulationInput& input) {
  std::string text = choice.architecture;
  for (const SchedulerChange& change : choice.changes) text += ", then " + change.architecture;
  return text + " on " + input.topology.name + "; " + input.workload.title() + "; seed " +
         std::to_string(choice.seed);
}

}  // namespace dmm
