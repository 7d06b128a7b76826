// One simulation from its options: the grid, its workload, one architecture, and what came of it. `dmm simulate`
// does one, `dmm compare` many, side by side: nothing here is shared or written to but what the caller hands in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/managers.hpp"
#include "cli/simulation_settings.hpp"
#include "cli/workload_choice.hpp"
#include "protocol/outcome.hpp"
#include "results/home_figures.hpp"
#include "results/samples_csv.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/dmm.hpp"
#include "topologies/topology.hpp"

namespace CLI {
class App;
}

namespace dmm {

/// What is set for all sites over what the topology says of them; nothing for what isn't.
struct SiteChoice {
  bool paper = false;                              ///< the preset, below the keys of the file
  std::optional<bool> coarse;                      ///< long terms, few hints, no limit; as under paper if not set
  std::optional<double> cycle_seconds;             ///< of matchmaking, of the models also
  std::optional<double> delegation_cycle_seconds;  ///< otherwise half of the other if that was set
  std::optional<double> delegation_threshold;
  std::optional<double> term_seconds;
  std::string dispatching, delegation, target, placement, flexible_placement;  ///< policies; empty: not set
  std::optional<bool> hints;
  std::optional<bool> keep_local;
  std::optional<bool> owner_first;
};

/// The options of one simulation.
struct SimulationChoice {
  std::string topology;          ///< a file
  std::uint32_t processors = 0;  ///< or one cluster of so many
  std::vector<std::string> overrides;
  std::string settings_of;  ///< a site manager's file, whose settings stand for the daemons' defaults; or empty
  SiteChoice sites;
  WorkloadChoice workload;
  std::string architecture = "dmm";
  std::vector<SchedulerChange> changes;
  ModelParameters parameters;
  DmmOptions dmm;
  std::uint64_t seed = 1;
  std::optional<bool> cool_down;  ///< otherwise with, but without under --paper
  Duration sample_every{};
};

/// Adds the options that say what is simulated, but not which architecture under which load: that differs between
/// the commands.
void add_system_options(CLI::App& command, SimulationChoice& choice);

/// Ready to be run.
struct SimulationInput {
  Topology topology;
  Grid grid;                            ///< its clusters have names that differ
  std::vector<std::string> root_names;  ///< by GridCluster::root
  std::vector<LinkEnds> links;
  WorkloadSource workload;
  DmmOptions dmm;  ///< complete
};
OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice);
/// The same with a workload that was made before, for the same choice of a workload, clusters and seed.
OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice,
                                                          const WorkloadSource& workload);
/// Empty if there is such an architecture, else what there is.
std::optional<CommandFault> fault_of_architecture(const std::string& name, bool may_be_dmm = true);

/// What came of it.
struct SimulationRun {
  Summary figures;
  SimulationTotals totals;
  std::vector<HomeFigures> homes;  ///< by cluster
  std::vector<std::string> notes;  ///< about the workload
  double ended_seconds = 0;        ///< when it was stopped, or the last event was
};
/// Runs it. The sinks hear of everything, too. A fault if the workload can't be read to its end.
OrFault<SimulationRun, CommandFault> run_simulation(const SimulationChoice& choice, const SimulationInput& input,
                                                    OpenWorkload& workload, const SimulationSinks& sinks);

/// "dmm on dual-grid; lublin-feitelson, load 0.7, 1 d; seed 1".
std::string title_of(const SimulationChoice& choice, const SimulationInput& input);
bool has_cool_down(const SimulationChoice& choice);

}  // namespace dmm
