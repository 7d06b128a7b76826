// Table 3 of Iosup et al. 2007: the architectures under long real traces, with the cool-down phase. The paper's traces
// aren't public; --workload names the ones that replace them.
#include "cli/experiments/experiments.hpp"

namespace dmm {

ExperimentPlan plan_table3(const ExperimentOptions& options) {
  Comparison comparison;
  comparison.name = "table3";
  comparison.title = "Table 3: architectures under real traces";
  comparison.x_label = "workload";
  comparison.point_label = "workload";
  comparison.variants = options.architectures.empty() ? paper_architectures() : options.architectures;
  comparison.metrics = {"jobs_submitted",          "average_wait_seconds",  "average_slowdown",
                        "goodput_processor_hours", "jobs_finished_percent", "messages_per_job"};
  comparison.repetitions = options.repetitions > 0 ? options.repetitions : 1;
  comparison.seed = options.choice.seed;
  SimulationChoice base = options.choice;
  if (base.workload.model.empty() && base.workload.logs.empty())
    base.workload.logs = {"workloads/dual-grid-day.swf.gz"};
  ExperimentOptions with_logs = options;
  with_logs.choice = base;
  base = paper_choice(with_logs);
  base.cool_down = options.choice.cool_down.value_or(true);
  comparison.points = {{base.workload.logs.size() == 1 ? base.workload.logs.front() : "traces", 0}};
  comparison.choice = [base, variants = comparison.variants](std::size_t, std::size_t variant) {
    SimulationChoice choice = base;
    set_variant(choice, variants[variant]);
    return choice;
  };
  return std::vector{std::move(comparison)};
}

}  // namespace dmm
