// See simulation.hpp.
#include "cli/simulation.hpp"

#include <algorithm>

#include "simulator/architectures/engine.hpp"
#include "topologies/site_behaviour.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

/// Where a topology leaves these at their defaults: over days of virtual time, terms of seconds would be little
/// but keep-alives, and a limit of a day would cut the longest jobs of real logs off.
constexpr Duration term_in_simulations = seconds(3000);
/// Free nodes that change hands every hour or so aren't worth ten messages a second; most news travels with others.
constexpr Duration hint_interval_in_simulations = seconds(600);
constexpr Duration lease_length_in_simulations = seconds(10LL * 366 * 86400);

std::optional<CommandFault> choose_policy(const std::string& option, const std::string& word,
                                          const std::vector<std::string>& known, std::string& policy) {
  if (word.empty()) return std::nullopt;
  if (std::find(known.begin(), known.end(), word) == known.end())
    return CommandFault{option + ": there is no policy \"" + word + "\"" + suggestion(word, known) +
                            "; expected one of " + list_of(known),
                        2};
  policy = word;
  return std::nullopt;
}

void apply_durations(const SiteChoice& choice, SiteSettings& settings) {
  if (choice.cycle_seconds) {
    settings.matchmaking_cycle = from_seconds(*choice.cycle_seconds);
    settings.delegation_cycle = settings.matchmaking_cycle / 2;
  }
  if (choice.delegation_cycle_seconds) settings.delegation_cycle = from_seconds(*choice.delegation_cycle_seconds);
  if (choice.delegation_threshold) settings.delegation_threshold = *choice.delegation_threshold;
  if (settings.term == SiteSettings{}.term) settings.term = term_in_simulations;
  if (choice.term_seconds) settings.term = from_seconds(*choice.term_seconds);
  if (settings.hint_interval == SiteSettings{}.hint_interval) settings.hint_interval = hint_interval_in_simulations;
  if (settings.lease_length_max == SiteSettings{}.lease_length_max)
    settings.lease_length_max = lease_length_in_simulations;
}

std::optional<CommandFault> apply(const SiteChoice& choice, SiteSettings& settings) {
  if (choice.paper) apply_paper_preset(settings);
  apply_durations(choice, settings);
  if (choice.hints) settings.use_hints = *choice.hints;
  if (choice.keep_local) settings.keep_local = *choice.keep_local;
  if (choice.owner_first) settings.owner_first = *choice.owner_first;
  const PolicyNames known = known_policies();
  for (auto fault :
       {choose_policy("--dispatching", choice.dispatching, known.dispatching, settings.dispatching_policy),
        choose_policy("--delegation", choice.delegation, known.delegation, settings.delegation_policy),
        choose_policy("--target", choice.target, known.target, settings.target_policy),
        choose_policy("--placement", choice.placement, known.placement, settings.placement_policy),
        choose_policy("--flexible-placement", choice.flexible_placement, known.placement,
                      settings.flexible_policy)})
    if (fault) return fault;
  return std::nullopt;
}

TopologyOrError one_cluster(const SimulationChoice& choice, const ReadOptions& reading) {
  return parse_topology(
      "{\"name\": \"one-cluster\", \"sites\": [{\"name\": \"cluster\", \"users\": [\"u0\"], "
      "\"clusters\": [{\"name\": \"nodes\", \"nodes\": " +
          std::to_string(choice.processors) + "}]}]}",
      "--processors", reading);
}

/// Names for people: that of the site if it has one cluster, else both.
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

std::variant<SimulationInput, CommandFault> prepare_grid(const SimulationChoice& choice) {
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
  return input;
}

}  // namespace

bool has_cool_down(const SimulationChoice& choice) { return choice.cool_down.value_or(!choice.sites.paper); }

std::variant<Topology, CommandFault> topology_of(const SimulationChoice& choice) {
  if (choice.topology.empty() == (choice.processors == 0))
    return CommandFault{"choose a system: either --topology FILE or --processors P for one cluster", 2};
  ReadOptions reading;
  reading.overrides = choice.overrides;
  auto read = choice.topology.empty() ? one_cluster(choice, reading) : read_topology(choice.topology, reading);
  if (auto* error = std::get_if<ConfigError>(&read)) return CommandFault{std::move(error->text), 2};
  Topology& topology = std::get<Topology>(read);
  if (workload_homes(topology).empty())
    return CommandFault{"the topology " + topology.name + " has no cluster to run jobs on", 2};
  for (TopologySite& site : topology.sites)
    if (auto fault = apply(choice.sites, site.settings)) return *fault;
  return std::move(topology);
}

std::optional<CommandFault> fault_of_architecture(const std::string& name, bool may_be_dmm) {
  if ((name == "dmm" && may_be_dmm) || find_architecture(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  if (may_be_dmm) names.push_back("dmm");
  for (const ArchitectureEntry& entry : architectures()) names.emplace_back(entry.name);
  return CommandFault{
      "there is no architecture \"" + name + "\"" + suggestion(name, names) + "; there are " + list_of(names), 2};
}

std::variant<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice) {
  auto input = prepare_grid(choice);
  if (auto* ready = std::get_if<SimulationInput>(&input)) {
    auto workload = WorkloadSource::make(choice.workload, ready->grid, choice.seed);
    if (auto* fault = std::get_if<CommandFault>(&workload)) return *fault;
    ready->workload = std::get<WorkloadSource>(std::move(workload));
  }
  return input;
}

std::variant<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice,
                                                               const WorkloadSource& workload) {
  auto input = prepare_grid(choice);
  if (auto* ready = std::get_if<SimulationInput>(&input)) ready->workload = workload;
  return input;
}

std::variant<SimulationRun, CommandFault> run_simulation(const SimulationChoice& choice,
                                                         const SimulationInput& input, OpenWorkload& workload,
                                                         const SimulationSinks& sinks) {
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
    run.totals = simulate_dmm(input.topology, workload.jobs, choice.dmm, options, all);
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
