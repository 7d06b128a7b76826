// One simulation from its options: the grid, its workload, one architecture, and the results. `dmm simulate` runs one,
// `dmm compare` many at once: nothing here is shared or written to, except what the caller passes in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/simulation_choice.hpp"
#include "cli/simulate/simulation_settings.hpp"
#include "cli/simulate/workload_choice.hpp"
#include "cli/terminal/command_fault.hpp"
#include "protocol/or_fault.hpp"
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

/// Adds the options that say what is simulated. The commands differ in how they choose the architecture and the load,
/// so these options aren't here.
void add_system_options(CLI::App& command, SimulationChoice& choice);

/// All that a simulation needs to run.
struct SimulationInput {
  Topology topology;
  Grid grid;                            ///< the names of its clusters differ from one another
  std::vector<std::string> root_names;  ///< by GridCluster::root
  std::vector<LinkEnds> links;
  WorkloadSource workload;
  DmmOptions dmm;  ///< every option is set
};
OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice);
/// The same with an existing workload, made for the same choice of workload, clusters and seed.
OrFault<SimulationInput, CommandFault> prepare_simulation(const SimulationChoice& choice,
                                                          const WorkloadSource& workload);
/// Nothing if the architecture exists, else a fault that lists those that do.
std::optional<CommandFault> fault_of_architecture(const std::string& name, bool may_be_dmm = true);

/// The results of one simulation.
struct SimulationRun {
  Summary figures;
  SimulationTotals totals;
  std::vector<HomeFigures> homes;  ///< by cluster
  std::vector<std::string> notes;  ///< about the workload
  double ended_seconds = 0;        ///< when it was stopped, or when its last event was
};
/// Runs the simulation. The sinks also hear of every event. A fault if the workload can't be read to its end.
OrFault<SimulationRun, CommandFault> run_simulation(const SimulationChoice& choice, const SimulationInput& input,
                                                    OpenWorkload& workload, const SimulationSinks& sinks);

/// "dmm on dual-grid; lublin-feitelson, load 0.7, 1 d; seed 1".
std::string title_of(const SimulationChoice& choice, const SimulationInput& input);
bool has_cool_down(const SimulationChoice& choice);

}  // namespace dmm
