// Figure 7 of Iosup et al. 2007: the six architectures at the nine default load levels. Beyond the paper: the same with
// dmm's defaults, under which it decides at once and knows free nodes by hints.
#include "cli/experiments/experiments.hpp"

namespace dmm {
namespace {

Comparison over_loads(const ExperimentOptions& options, std::vector<std::string> variants,
                      std::vector<double> loads) {
  Comparison comparison;
  comparison.x_label = "load of each cluster [%]";
  comparison.point_label = "load";
  if (!options.architectures.empty()) variants = options.architectures;
  if (!options.loads.empty()) loads = options.loads;
  for (const double load : loads) comparison.points.push_back(load_point(load));
  comparison.variants = std::move(variants);
  comparison.repetitions = options.repetitions > 0 ? options.repetitions : 10;
  comparison.seed = options.choice.seed;
  return comparison;
}

}  // namespace

ExperimentPlan plan_figure7(const ExperimentOptions& options) {
  Comparison comparison = over_loads(options, paper_architectures(), paper_loads());
  comparison.name = "figure7";
  comparison.title = "Figure 7: architectures under various loads";
  comparison.metrics = {"goodput_processor_hours", "jobs_finished_percent", "average_wait_seconds",
                        "average_slowdown",        "delegations_per_job",   "utilisation_percent"};
  comparison.choice = [options, points = comparison.points, variants = comparison.variants](std::size_t point,
                                                                                            std::size_t variant) {
    SimulationChoice choice = paper_choice(options);
    choice.workload.loads = {points[point].x / 100};
    set_variant(choice, variants[variant]);
    return choice;
  };
  return std::vector{std::move(comparison)};
}

ExperimentPlan plan_beyond(const ExperimentOptions& options) {
  std::vector<std::string> variants = {"dmm", "dmm-paper"};
  for (const std::string& name : paper_architectures())
    if (name != "dmm") variants.push_back(name);
  Comparison comparison = over_loads(options, variants, paper_loads());
  comparison.name = "beyond";
  comparison.title = "Beyond the paper: dmm at once and with hints";
  comparison.metrics = {"goodput_processor_hours", "jobs_finished_percent", "average_wait_seconds",
                        "average_slowdown",        "delegations_per_job",   "messages_per_job"};
  comparison.choice = [options, points = comparison.points, variants = comparison.variants](std::size_t point,
                                                                                            std::size_t variant) {
    SimulationChoice choice = paper_choice(options);
    choice.sites.paper = false;
    choice.cool_down = options.choice.cool_down.value_or(false);
    choice.workload.loads = {points[point].x / 100};
    set_variant(choice, variants[variant]);
    return choice;
  };
  return std::vector{std::move(comparison)};
}

}  // namespace dmm
