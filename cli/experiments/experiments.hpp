// The experiments of docs/reproduction.md by name, for `dmm compare --experiment`. Each is a function in a file of its
// own and a row of the table in experiments.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/experiments/comparison.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// The options beside the name. An experiment has its own value for each option that isn't given.
struct ExperimentOptions {
  SimulationChoice choice;
  std::vector<double> loads;                    ///< empty: the experiment's own
  std::vector<double> thresholds;               ///< the same
  std::vector<std::string> architectures;       ///< the same
  std::uint32_t repetitions = 0;                ///< 0: the experiment's own
  std::uint64_t jobs = 0;                       ///< for experiments that count jobs; 0: the experiment's own
  std::uint32_t work_minutes = 0;               ///< work of a bag of tasks; 0: the experiment's own
  std::optional<std::uint32_t> bag_at_minutes;  ///< when the bag arrives
};

/// An experiment that isn't made of comparisons.
using OtherExperiment =
    std::function<OrFault<OtherResult, CommandFault>(const std::function<void(std::string)>& say)>;

/// One or more comparisons, or another experiment.
using ExperimentPlan = std::variant<std::vector<Comparison>, OtherExperiment, CommandFault>;

struct ExperimentEntry {
  std::string_view name;
  std::string_view about;  ///< one line for --help
  ExperimentPlan (*plan)(const ExperimentOptions&);
};

const std::vector<ExperimentEntry>& experiments();
const ExperimentEntry* find_experiment(std::string_view name);

// ---- what the experiments share ----

/// The six architectures of Iosup et al. 2007, table 2.
const std::vector<std::string>& paper_architectures();
/// The nine default load levels of section 5.2.2 there.
const std::vector<double>& paper_loads();
/// The dual grid under the Lublin-Feitelson model for a day, with the settings of the paper, unless options say
/// otherwise.
SimulationChoice paper_choice(const ExperimentOptions& options);
/// Sets the architecture: its name, or "dmm-paper" for dmm with the settings of the paper.
void set_variant(SimulationChoice& choice, const std::string& variant);
/// Loads by cluster under imbalance: 60 % in the first grid, `others` elsewhere. A fault if there is only one grid.
std::variant<std::vector<double>, CommandFault> imbalanced_loads(const Grid& grid, double others);
/// A load as a point: 0.7 is "70 %".
ComparisonPoint load_point(double load);

ExperimentPlan plan_figure7(const ExperimentOptions& options);
ExperimentPlan plan_figure8(const ExperimentOptions& options);
ExperimentPlan plan_figure10(const ExperimentOptions& options);
ExperimentPlan plan_figure11(const ExperimentOptions& options);
ExperimentPlan plan_table3(const ExperimentOptions& options);
ExperimentPlan plan_beyond(const ExperimentOptions& options);
ExperimentPlan plan_sensitivity(const ExperimentOptions& options);
ExperimentPlan plan_mini_grid(const ExperimentOptions& options);
ExperimentPlan plan_idle_nodes(const ExperimentOptions& options);
ExperimentPlan plan_mini_grid_managers(const ExperimentOptions& options);
ExperimentPlan plan_cm(const ExperimentOptions& options);
ExperimentPlan plan_koala(const ExperimentOptions& options);

}  // namespace dmm
