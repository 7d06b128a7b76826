// One simulation from its options: the grid, its workload, one architecture, and what came of it. `dmm simulate`
// does one, `dmm compare` many, side by side: nothing here is shared or written to but what the caller hands in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/simulation_choice.hpp"
#include "cli/simulate/simulation_settings.hpp"
#include "cli/simulate/workload_choice.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/outcome.hpp"
#include "simulator/architectures/dmm.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/run.hpp"
#include "simulator/results/home_figures.hpp"
#include "simulator/results/samples_csv.hpp"
#include "topologies/topology.hpp"

namespace CLI {
class App;
}

namespace dmm {

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
