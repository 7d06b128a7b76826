// Figures 10 and 11 of Iosup et al. 2007: dmm under various delegation thresholds, and its messages by load and by
// threshold.
#include "cli/experiments/experiments.hpp"
#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

std::vector<double> thresholds_of(const ExperimentOptions& options) {
  return options.thresholds.empty() ? std::vector{0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25} : options.thresholds;
}

Comparison of_dmm(const ExperimentOptions& options) {
  Comparison comparison;
  comparison.repetitions = options.repetitions > 0 ? options.repetitions : 10;
  comparison.seed = options.choice.seed;
  return comparison;
}

void over_thresholds(Comparison& comparison, const std::vector<double>& thresholds) {
  comparison.x_label = "delegation threshold";
  comparison.point_label = "threshold";
  for (const double threshold : thresholds) comparison.points.push_back({plain(threshold, 3), threshold});
}

SimulationChoice dmm_choice(const ExperimentOptions& options, double load, double threshold) {
  SimulationChoice choice = paper_choice(options);
  choice.architecture = "dmm";
  choice.workload.loads = {load};
  choice.sites.delegation_threshold = threshold;
  return choice;
}

}  // namespace

ExperimentPlan plan_figure10(const ExperimentOptions& options) {
  const std::vector<double> thresholds = thresholds_of(options);
  const std::vector<double> loads =
      options.loads.empty() ? std::vector{0.1, 0.3, 0.5, 0.7, 0.9, 0.98} : options.loads;
  Comparison comparison = of_dmm(options);
  comparison.name = "figure10";
  comparison.title = "Figure 10: dmm under various delegation thresholds";
  over_thresholds(comparison, thresholds);
  comparison.variant_label = "load";
  for (const double load : loads) comparison.variants.push_back(load_point(load).label);
  comparison.metrics = {"goodput_processor_hours", "jobs_finished_percent", "average_wait_seconds",
                        "average_slowdown",        "delegations_per_job",   "dmm_percent_of_messages"};
  comparison.choice = [options, thresholds, loads](std::size_t point, std::size_t variant) {
    return dmm_choice(options, loads[variant], thresholds[point]);
  };
  return std::vector{std::move(comparison)};
}

ExperimentPlan plan_figure11(const ExperimentOptions& options) {
  const std::vector<double> thresholds = thresholds_of(options);
  const std::vector<double> loads = options.loads.empty() ? paper_loads() : options.loads;
  Comparison by_load = of_dmm(options);
  by_load.variants = {"dmm"};
  by_load.message_bars = true;
  by_load.metrics = {"messages_per_job",          "management_messages_per_job",
                     "dmm_messages_per_job",      "keep_alive_messages_per_job",
                     "dmm_percent_of_management", "dmm_percent_of_messages"};
  Comparison by_threshold = by_load;
  by_load.name = "figure11a";
  by_load.title = "Figure 11 (a): messages of dmm by load, threshold 1.0";
  by_load.x_label = "load of each cluster [%]";
  by_load.point_label = "load";
  for (const double load : loads) by_load.points.push_back(load_point(load));
  by_load.choice = [options, loads](std::size_t point, std::size_t) {
    return dmm_choice(options, loads[point], 1.0);
  };
  by_threshold.name = "figure11b";
  by_threshold.title = "Figure 11 (b): messages of dmm by delegation threshold, load 70 %";
  over_thresholds(by_threshold, thresholds);
  by_threshold.choice = [options, thresholds](std::size_t point, std::size_t) {
    return dmm_choice(options, 0.7, thresholds[point]);
  };
  return std::vector{std::move(by_load), std::move(by_threshold)};
}

}  // namespace dmm
