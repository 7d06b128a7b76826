// Which claims of Iosup et al. 2007 hold whatever the values of the parameters that the paper leaves unstated. All
// claims (claims.hpp) are judged with our values, and with each other value of each parameter
// (unstated_parameters.hpp), one at a time.
#include "cli/experiments/experiments.hpp"
#include "cli/experiments/sensitivity_report.hpp"

namespace dmm {
namespace {

/// Cap of a real job's run time: jobs of a month would take most of the simulation.
constexpr std::int64_t run_cap_of_traces = 6 * 3600;
/// Load of the other grid, in the cases with imbalance.
constexpr double high_load = 1.5;

SimulationChoice choice_of(const ClaimCase& one, const SimulationChoice& base,
                           const std::vector<double>& imbalanced) {
  SimulationChoice choice = base;
  choice.architecture = one.architecture;
  choice.sites.delegation_threshold = one.threshold;
  choice.workload.logs.clear();
  switch (one.kind) {
    case ClaimCase::Kind::balanced: choice.workload.loads = {one.load}; break;
    case ClaimCase::Kind::imbalanced: choice.workload.loads = imbalanced; break;
    case ClaimCase::Kind::traces:
      choice.workload = WorkloadChoice{};
      choice.workload.logs = {"workloads/dual-grid-day.swf.gz"};
      if (!base.workload.logs.empty()) choice.workload.logs = base.workload.logs;
      choice.workload.run_cap_seconds = run_cap_of_traces;
      choice.cool_down = true;
      break;
  }
  return choice;
}

}  // namespace

ExperimentPlan plan_sensitivity(const ExperimentOptions& options) {
  ExperimentOptions with_model = options;
  if (std::uint32_t& users = with_model.choice.workload.users; users == 1)
    users = users_of_the_paper;
  else if (users != users_of_the_paper)
    return CommandFault{"--users: the sweep compares numbers of users itself; leave it out", 2};
  if (with_model.choice.workload.model.empty()) with_model.choice.workload.model = "lublin-feitelson";
  SimulationChoice base = paper_choice(with_model);
  const auto topology = topology_of(base);
  if (const auto* fault = std::get_if<CommandFault>(&topology)) return *fault;
  auto imbalanced = imbalanced_loads(grid_of(std::get<Topology>(topology)), high_load);
  if (auto* fault = std::get_if<CommandFault>(&imbalanced)) return *fault;
  open_paper_settings(base);
  Comparison comparison;
  comparison.name = "sensitivity";
  comparison.title = "The paper's claims under other values of what it leaves unstated";
  comparison.repetitions = options.repetitions > 0 ? options.repetitions : 3;
  comparison.seed = options.choice.seed;
  comparison.points = {{"our values", 0}};
  const std::vector<SensitivitySetting> settings = sensitivity_settings();
  for (const SensitivitySetting& setting : settings) {
    const UnstatedParameter& parameter = unstated_parameters()[setting.parameter];
    const std::string label =
        std::string(parameter.name) + " " + std::string(parameter.values[setting.value].label);
    comparison.points.push_back({label, static_cast<double>(comparison.points.size())});
  }
  for (const ClaimCase& one : claim_cases()) comparison.variants.push_back(to_text(one));
  comparison.variant_label = "case";
  comparison.choice = [base, loads = std::get<std::vector<double>>(std::move(imbalanced)), settings](
                          std::size_t point, std::size_t variant) {
    SimulationChoice choice = choice_of(claim_cases()[variant], base, loads);
    if (point == 0) return choice;
    const UnstatedParameter& parameter = unstated_parameters()[settings[point - 1].parameter];
    parameter.set(choice, parameter.values[settings[point - 1].value].value);
    return choice;
  };
  comparison.as_at_first = [settings](std::size_t point, std::size_t variant) {
    const UnstatedParameter& parameter = unstated_parameters()[settings[point - 1].parameter];
    const ClaimCase& one = claim_cases()[variant];
    return !parameter.changes(one.architecture) || (parameter.of_the_model && one.kind == ClaimCase::Kind::traces);
  };
  comparison.without_chance = [](std::size_t variant) {
    return claim_cases()[variant].kind == ClaimCase::Kind::traces;
  };
  comparison.digest = [repetitions = comparison.repetitions,
                       seed = comparison.seed](const ComparisonResult& result) {
    return sensitivity_report(judge_sensitivity(result), repetitions, seed);
  };
  return std::vector{std::move(comparison)};
}

}  // namespace dmm
