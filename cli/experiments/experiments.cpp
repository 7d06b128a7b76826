#include "cli/experiments/experiments.hpp"

#include "simulator/results/numbers.hpp"

namespace dmm {

const std::vector<ExperimentEntry>& experiments() {
  static const std::vector<ExperimentEntry> table = {
      {"table3", "real traces (--workload), with the cool-down phase", plan_table3},
      {"figure7", "the six architectures at nine loads", plan_figure7},
      {"figure8", "the same under imbalance: one grid at 60 %, the other from 60 to 200 %; with figure 9",
       plan_figure8},
      {"figure10", "delegation thresholds from 0.60 to 1.25 at six loads", plan_figure10},
      {"figure11", "messages by kind, by load and by threshold", plan_figure11},
      {"beyond", "dmm at once and with hints, beside the paper's dmm and cern", plan_beyond},
      {"sensitivity", "the claims of all these under other values of what the paper leaves unstated",
       plan_sensitivity},
      {"mini-grid", "Jones et al. 2004: co-allocation over shared links", plan_mini_grid},
      {"mini-grid-managers", "the same with the managers, beside the model with the same jobs",
       plan_mini_grid_managers},
      {"idle-nodes", "Netto et al.: grid tasks on idle nodes of a local cluster", plan_idle_nodes},
      {"cm", "Sonmez et al.: worst fit, CM and FCM on five clusters, with the managers", plan_cm},
      {"koala", "Mohamed and Epema: jobs with large files on clusters that fail, with the managers", plan_koala},
  };
  return table;
}

const ExperimentEntry* find_experiment(std::string_view name) {
  for (const ExperimentEntry& entry : experiments())
    if (entry.name == name) return &entry;
  return nullptr;
}

const std::vector<std::string>& paper_architectures() {
  static const std::vector<std::string> names = {"dmm", "fcondor", "cern", "koala", "condor", "sep-c"};
  return names;
}

const std::vector<double>& paper_loads() {
  static const std::vector<double> loads = {0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98};
  return loads;
}

SimulationChoice paper_choice(const ExperimentOptions& options) {
  SimulationChoice choice = options.choice;
  if (choice.topology.empty() && choice.processors == 0) choice.topology = "topologies/dual-grid.json";
  if (choice.workload.model.empty() && choice.workload.logs.empty()) choice.workload.model = "lublin-feitelson";
  choice.sites.paper = true;
  if (!choice.sites.coarse) choice.sites.coarse = true;  // also where an experiment unsets --paper again
  return choice;
}

void set_variant(SimulationChoice& choice, const std::string& variant) {
  choice.architecture = variant;
  if (variant != "dmm-paper") return;
  choice.architecture = "dmm";
  choice.sites.paper = true;
}

ComparisonPoint load_point(double load) { return {plain(load * 100, 1) + " %", load * 100}; }

}  // namespace dmm
