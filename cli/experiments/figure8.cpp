// Figures 8 and 9 of Iosup et al. 2007. One grid (the first of the topology) stays at a load of 60 %, the others go
// from 60 % to 200 %. Figure 9 shows by origin where dmm's goodput comes from.
#include <algorithm>

#include "cli/experiments/experiments.hpp"
#include "simulator/results/home_figures.hpp"

namespace dmm {
namespace {

constexpr double steady_load = 0.6;

/// Figure 9: the same runs of dmm, shown by origin.
Comparison components(const Comparison& all, std::size_t dmm) {
  Comparison comparison = all;
  comparison.name = "figure9";
  comparison.title = "Figure 9: where the goodput of dmm comes from, under imbalance";
  comparison.variants = {"dmm"};
  comparison.variant_ahead = dmm;
  comparison.goodput_bars = true;
  comparison.metrics = {"goodput_processor_hours",
                        "goodput_inter_grid_processor_hours",
                        "goodput_intra_grid_processor_hours",
                        "goodput_intra_site_processor_hours",
                        "goodput_local_processor_hours",
                        "inter_grid_percent_of_delegated"};
  return comparison;
}

}  // namespace

std::variant<std::vector<double>, CommandFault> imbalanced_loads(const Grid& grid, double others) {
  const std::vector<GridGroup> groups = groups_of(grid, {});
  if (groups.size() < 2)
    return CommandFault{
        "under imbalance: the topology has one grid; expected at least two roots, since one stays at 60 %", 2};
  std::vector<double> loads(grid.clusters.size(), others);
  for (const std::uint32_t cluster : groups.front().clusters) loads[cluster] = steady_load;
  return loads;
}

ExperimentPlan plan_figure8(const ExperimentOptions& options) {
  const SimulationChoice base = paper_choice(options);
  const auto topology = topology_of(base);
  if (const auto* fault = std::get_if<CommandFault>(&topology)) return *fault;
  const Grid grid = grid_of(std::get<Topology>(topology));
  std::vector<std::vector<double>> loads;
  Comparison comparison;
  for (const double load : options.loads.empty() ? std::vector{0.6, 0.8, 1.0, 1.2, 1.5, 2.0} : options.loads) {
    auto each = imbalanced_loads(grid, load);
    if (auto* fault = std::get_if<CommandFault>(&each)) return *fault;
    loads.push_back(std::get<std::vector<double>>(std::move(each)));
    comparison.points.push_back(load_point(load));
    comparison.points.back().label = "60 % / " + comparison.points.back().label;
  }
  comparison.name = "figure8";
  comparison.title = "Figure 8: architectures under imbalanced loads, the first grid at 60 %";
  comparison.x_label = "load of the other grid [%]";
  comparison.point_label = "load";
  comparison.variants = options.architectures.empty() ? paper_architectures() : options.architectures;
  comparison.metrics = {"goodput_processor_hours", "jobs_finished_percent", "average_wait_seconds",
                        "average_slowdown",        "delegations_per_job",   "jobs_started_percent"};
  comparison.repetitions = options.repetitions > 0 ? options.repetitions : 10;
  comparison.seed = options.choice.seed;
  comparison.choice = [base, loads, variants = comparison.variants](std::size_t point, std::size_t variant) {
    SimulationChoice choice = base;
    choice.workload.loads = loads[point];
    set_variant(choice, variants[variant]);
    return choice;
  };
  std::vector<Comparison> plan{comparison};
  const auto dmm = std::find(comparison.variants.begin(), comparison.variants.end(), "dmm");
  if (dmm != comparison.variants.end())
    plan.push_back(components(comparison, static_cast<std::size_t>(dmm - comparison.variants.begin())));
  return plan;
}

}  // namespace dmm
