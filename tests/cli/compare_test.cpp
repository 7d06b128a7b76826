// Comparing simulations: the arithmetic of repetitions, figures by name, and that the result doesn't depend on the
// number of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/experiments/comparison_report.hpp"
#include "cli/experiments/experiments.hpp"
#include "workloads/statistics.hpp"

namespace compare_test {

using namespace dmm;

namespace {

Comparison small_comparison() {
  Comparison comparison;
  comparison.name = "small";
  comparison.title = "A small comparison";
  comparison.x_label = "load [%]";
  comparison.point_label = "load";
  comparison.points = {load_point(0.3), load_point(0.6)};
  comparison.variants = {"fcfs", "easy"};
  comparison.metrics = {"goodput_processor_hours", "average_wait_seconds"};
  comparison.repetitions = 3;
  comparison.choice = [points = comparison.points, variants = comparison.variants](std::size_t point,
                                                                                   std::size_t variant) {
    SimulationChoice choice;
    choice.processors = 32;
    choice.workload.model = "lublin-feitelson";
    choice.workload.correction = "none";
    choice.workload.days = 2;
    choice.workload.loads = {points[point].x / 100};
    set_variant(choice, variants[variant]);
    return choice;
  };
  return comparison;
}

ComparisonResult run(const Comparison& comparison, std::uint32_t threads) {
  auto outcome = run_comparison(comparison, threads, [](const ComparisonProgress&) { return true; });
  if (auto* fault = std::get_if<CommandFault>(&outcome)) FAIL(fault->text);
  return std::get<ComparisonResult>(std::move(outcome));
}

}  // namespace

TEST_CASE("compare: a comparison says what isn't as daemons have it, but for what it compares") {
  Comparison comparison = small_comparison();
  comparison.variants = {"fcfs", "dmm"};
  comparison.choice = [](std::size_t point, std::size_t variant) {
    SimulationChoice choice;
    choice.processors = 32;
    choice.architecture = variant == 0 ? "fcfs" : "dmm";
    choice.sites.coarse = true;
    choice.sites.delegation_threshold = point == 0 ? 0.5 : 0.7;
    return choice;
  };
  const RunFigures none{};
  const ComparisonResult result{{{{none}, {none}}, {{none}, {none}}}};
  comparison.repetitions = 1;
  const std::string table = comparison_table(comparison, result, {.colour = false, .unicode = false});
  CHECK(table.find("replaced at dmm: term_seconds 3000 instead of 30 (--coarse)") != std::string::npos);
  CHECK(table.find("replaced at dmm: delegation_threshold") == std::string::npos);
  CHECK(table.find("replaced at fcfs") == std::string::npos);
  const auto json = comparison_json(comparison, result);
  CHECK(json["points"][0]["variants"][0]["replaced"].empty());
  CHECK(json["points"][1]["variants"][1]["replaced"].dump().find(R"("used":0.7,"by":"option")") !=
        std::string::npos);
}

TEST_CASE("compare: confidence intervals are those of Student's t") {
  const std::vector<double> samples{9, 10, 11};
  const Estimate estimate = estimate_of(samples);
  CHECK(estimate.mean == doctest::Approx(10));
  CHECK(estimate.half_width == doctest::Approx(4.3027 / std::sqrt(3.0)));  // the deviation is 1
  CHECK(estimate_of(std::vector<double>{7}).half_width == 0);
  CHECK(estimate_of({}).mean == 0);
  CHECK(student_t(9) == doctest::Approx(2.2622));
  CHECK(student_t(40) == doctest::Approx(2.0211).epsilon(0.0001));
  CHECK(student_t(120) == doctest::Approx(1.9799).epsilon(0.0001));
  CHECK(student_t(1'000'000) == doctest::Approx(1.95996).epsilon(0.0001));
}

TEST_CASE("compare: every metric has a name of its own, and finds its figure") {
  std::set<std::string_view> names;
  for (const Metric& metric : metrics()) {
    CHECK(names.insert(metric.name).second);
    CHECK(find_metric(metric.name) == &metric);
    CHECK(metric.of(RunFigures{}) == 0);  // no division by zero
  }
  CHECK(find_metric("goodput") == nullptr);
  RunFigures figures;
  figures.summary.jobs_submitted = 10;
  figures.summary.goodput_processor_seconds = 7200;
  figures.messages[static_cast<std::size_t>(MessageKind::negotiate)] = 40;
  figures.messages[static_cast<std::size_t>(MessageKind::dmm)] = 10;
  figures.messages[static_cast<std::size_t>(MessageKind::keep_alive)] = 50;
  CHECK(find_metric("goodput_processor_hours")->of(figures) == 2);
  CHECK(find_metric("messages_per_job")->of(figures) == 10);
  CHECK(find_metric("dmm_percent_of_management")->of(figures) == 25);
  CHECK(find_metric("dmm_percent_of_messages")->of(figures) == 10);
}

TEST_CASE("compare: a comparison gives the same on one thread as on three") {
  const Comparison comparison = small_comparison();
  const ComparisonResult one = run(comparison, 1), three = run(comparison, 3);
  CHECK(runs_csv(comparison, one) == runs_csv(comparison, three));
  CHECK(comparison_json(comparison, one).dump() == comparison_json(comparison, three).dump());
  CHECK(comparison_figure(comparison, one) == comparison_figure(comparison, three));
  const auto json = comparison_json(comparison, one);
  CHECK(json["points"].size() == 2);
  const auto& metric = json["points"][1]["variants"][0]["metrics"]["goodput_processor_hours"];
  CHECK(metric["values"].size() == 3);
  CHECK(metric["mean"] > 0);
  const std::string csv = runs_csv(comparison, one);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2 * 3);
  const std::string table = comparison_table(comparison, one, {.colour = false, .unicode = true});
  CHECK(table.find("goodput [h]") != std::string::npos);
  CHECK(table.find("60 %") != std::string::npos);
  CHECK(table.find("±") != std::string::npos);
}

TEST_CASE("compare: a comparison ends with the first fault, or when it is stopped") {
  Comparison comparison = small_comparison();
  comparison.variants = {"fcfs", "no-such"};
  comparison.choice = [make = comparison.choice](std::size_t point, std::size_t variant) {
    SimulationChoice choice = make(point, 0);
    if (variant == 1) choice.architecture = "no-such";
    return choice;
  };
  auto outcome = run_comparison(comparison, 2, [](const ComparisonProgress&) { return true; });
  REQUIRE(std::holds_alternative<CommandFault>(outcome));
  CHECK(std::get<CommandFault>(outcome).exit_code == 2);
  CHECK(std::get<CommandFault>(outcome).text.find("no-such") != std::string::npos);
  outcome = run_comparison(small_comparison(), 2, [](const ComparisonProgress&) { return false; });
  if (const auto* fault = std::get_if<CommandFault>(&outcome)) CHECK(fault->exit_code == exit_code_of_stopped);
}

TEST_CASE("compare: experiments are found by name and plan what the papers say") {
  ExperimentOptions options;
  options.choice.topology = std::string(DMM_SOURCE_DIR) + "/topologies/dual-grid.json";
  for (const ExperimentEntry& entry : experiments()) {
    INFO(entry.name);
    const ExperimentPlan plan = entry.plan(options);
    CHECK_FALSE(std::holds_alternative<CommandFault>(plan));
    const auto* comparisons = std::get_if<std::vector<Comparison>>(&plan);
    if (comparisons == nullptr) continue;
    for (const Comparison& comparison : *comparisons) {
      CHECK_FALSE(comparison.points.empty());
      CHECK_FALSE(comparison.variants.empty());
      for (const std::string_view metric : comparison.metrics) CHECK(find_metric(metric) != nullptr);
      for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant)
        CHECK_FALSE(fault_of_architecture(comparison.choice(0, variant).architecture).has_value());
    }
  }
  const auto figure8 = std::get<std::vector<Comparison>>(find_experiment("figure8")->plan(options));
  const SimulationChoice last = figure8[0].choice(5, 0);
  CHECK(last.workload.loads.size() == 20);
  CHECK(last.workload.loads[0] == 0.6);
  CHECK(last.workload.loads[5] == 2.0);
  CHECK_FALSE(has_cool_down(last));
  const auto figure7 = std::get<std::vector<Comparison>>(find_experiment("figure7")->plan(options));
  CHECK(figure7[0].points.size() == 9);
  CHECK(figure7[0].repetitions == 10);
  CHECK(find_experiment("figure70") == nullptr);
}

}  // namespace compare_test
