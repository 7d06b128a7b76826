// The parameters that the paper leaves unstated, and the claims that depend on them. The table has the values of the
// simulations, claims are judged by their rules, and the report shows the judgements.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/experiments/comparison_report.hpp"
#include "cli/experiments/experiments.hpp"
#include "cli/experiments/sensitivity_report.hpp"

namespace sensitivity_test {

using namespace dmm;

namespace {

SimulationChoice small_choice(const std::string& architecture) {
  SimulationChoice choice;
  choice.topology = std::string(DMM_SOURCE_DIR) + "/topologies/dual-grid.json";
  choice.workload.model = "lublin-feitelson";
  choice.workload.loads = {0.9};
  choice.workload.days = 0.1;
  choice.workload.users = users_of_the_paper;
  choice.architecture = architecture;
  choice.sites.paper = true;
  return choice;
}

/// All figures of one run, as text.
std::string figures_of(const SimulationChoice& choice) {
  Comparison comparison;
  comparison.points = {{"", 0}};
  comparison.variants = {choice.architecture};
  comparison.choice = [&](std::size_t, std::size_t) { return choice; };
  auto outcome = run_comparison(comparison, 1, [](const ComparisonProgress&) { return true; });
  if (auto* fault = std::get_if<CommandFault>(&outcome)) FAIL(fault->text);
  return runs_csv(comparison, std::get<ComparisonResult>(outcome));
}

const PaperClaim& claim(std::string_view number) {
  const auto found = std::find_if(paper_claims().begin(), paper_claims().end(),
                                  [&](const PaperClaim& each) { return each.number == number; });
  REQUIRE(found != paper_claims().end());
  return *found;
}

}  // namespace

TEST_CASE("sensitivity: the first value of each unstated parameter is what a simulation of the paper has") {
  std::map<std::string, std::string> plain;
  for (const char* name : {"dmm", "fcondor", "cern", "koala", "condor", "sep-c"})
    plain[name] = figures_of(small_choice(name));
  for (const UnstatedParameter& parameter : unstated_parameters()) {
    CAPTURE(parameter.name);
    CHECK(parameter.values.size() >= 2);
    for (const auto& [name, figures] : plain) {
      CAPTURE(name);
      SimulationChoice choice = small_choice(name);
      open_paper_settings(choice);
      parameter.set(choice, parameter.values[0].value);
      if (parameter.changes(name)) CHECK(figures_of(choice) == figures);
    }
  }
}

TEST_CASE("sensitivity: every other value of an unstated parameter can be simulated") {
  for (const UnstatedParameter& parameter : unstated_parameters())
    for (std::size_t value = 1; value < parameter.values.size(); ++value) {
      CAPTURE(parameter.name);
      SimulationChoice choice =
          small_choice(std::string(parameter.concerns.empty() ? "sep-c" : parameter.concerns.front()));
      choice.workload.days = 0.01;
      open_paper_settings(choice);
      parameter.set(choice, parameter.values[value].value);
      CHECK_FALSE(figures_of(choice).empty());
    }
}

TEST_CASE("sensitivity: claims are judged by the rules that they name") {
  const auto judged = [](std::string_view number, const CaseMetric& metric) {
    return to_text(claim(number).judge(metric).held);
  };
  const auto finished_by_dmm = [](double dmm, double others) {
    return [=](const ClaimCase& one, std::string_view) { return one.architecture == "dmm" ? dmm : others; };
  };
  // An order: better, at most a twentieth worse, worse.
  CHECK(judged("5a", finished_by_dmm(101, 100)) == "yes");
  CHECK(judged("5a", finished_by_dmm(96, 100)) == "in part");
  CHECK(judged("5a", finished_by_dmm(94, 100)) == "no");
  // A number, 32 %: within a quarter of it, at least a tenth of it, less.
  CHECK(judged("5b", finished_by_dmm(125, 100)) == "yes");
  CHECK(judged("5b", finished_by_dmm(150, 100)) == "in part");
  CHECK(judged("5b", finished_by_dmm(104, 100)) == "in part");
  CHECK(judged("5b", finished_by_dmm(102, 100)) == "no");
  // A limit, 16 %.
  CHECK(judged("13b", finished_by_dmm(16, 0)) == "yes");
  CHECK(judged("13b", finished_by_dmm(19, 0)) == "in part");
  CHECK(judged("13b", finished_by_dmm(21, 0)) == "no");
  // Points: from 0 to 4.
  CHECK(judged("7d", finished_by_dmm(94, 90)) == "yes");
  CHECK(judged("7d", finished_by_dmm(90, 90.5)) == "in part");
  CHECK(judged("7d", finished_by_dmm(90, 92)) == "no");
  CHECK(claim("7d").judge(finished_by_dmm(90, 92)).figure == doctest::Approx(-2));
}

TEST_CASE("sensitivity: claims have unique numbers, and ask for cases that are simulated") {
  std::set<std::string_view> numbers;
  for (const PaperClaim& each : paper_claims()) {
    CHECK(numbers.insert(each.number).second);
    each.judge([&](const ClaimCase& one, std::string_view metric) {
      CAPTURE(to_text(one));
      CHECK(std::count(claim_cases().begin(), claim_cases().end(), one) == 1);
      CHECK(find_metric(metric) != nullptr);
      return 1.0;
    });
  }
}

TEST_CASE(
    "sensitivity: the sweep leaves out what can't differ, and its report has every claim under every value") {
  ExperimentOptions options;
  options.choice.topology = std::string(DMM_SOURCE_DIR) + "/topologies/dual-grid.json";
  const auto plan = std::get<std::vector<Comparison>>(plan_sensitivity(options));
  const Comparison& comparison = plan.at(0);
  const std::vector<SensitivitySetting> settings = sensitivity_settings();
  REQUIRE(comparison.points.size() == settings.size() + 1);
  REQUIRE(comparison.variants.size() == claim_cases().size());
  for (std::size_t point = 1; point < comparison.points.size(); ++point)
    for (std::size_t variant = 0; variant < comparison.variants.size(); ++variant) {
      const UnstatedParameter& parameter = unstated_parameters()[settings[point - 1].parameter];
      const ClaimCase& one = claim_cases()[variant];
      CHECK(comparison.as_at_first(point, variant) ==
            (!parameter.changes(one.architecture) ||
             (parameter.of_the_model && one.kind == ClaimCase::Kind::traces)));
    }
  ComparisonResult result;
  result.runs.assign(comparison.points.size(),
                     std::vector<std::vector<RunFigures>>(comparison.variants.size(), std::vector<RunFigures>(2)));
  const OtherResult report = comparison.digest(result);
  const auto json = nlohmann::json::parse(report.json);
  CHECK(json["claims"].size() == paper_claims().size());
  CHECK(json["claims"][0]["sweep"].size() == settings.size());
  CHECK(json["parameters"].size() == unstated_parameters().size());
  const std::string& csv = report.files.at(0).second;
  CHECK(std::count(csv.begin(), csv.end(), '\n') ==
        static_cast<std::ptrdiff_t>(1 + (settings.size() + 1) * paper_claims().size()));
  for (const PaperClaim& each : paper_claims()) CHECK(report.text.find(each.statement) != std::string::npos);
}

TEST_CASE("sensitivity: a comparison doesn't simulate again what is as at its first point") {
  int made = 0;
  Comparison comparison;
  comparison.points = {{"a", 0}, {"b", 1}};
  comparison.variants = {"fcfs", "easy"};
  comparison.choice = [&](std::size_t point, std::size_t variant) {
    ++made;
    SimulationChoice choice;
    choice.processors = 32;
    choice.workload.model = "lublin-feitelson";
    choice.workload.correction = "none";
    choice.workload.loads = {point == 0 ? 0.5 : 0.9};
    choice.architecture = comparison.variants[variant];
    return choice;
  };
  comparison.as_at_first = [](std::size_t, std::size_t variant) { return variant == 0; };
  auto outcome = run_comparison(comparison, 1, [](const ComparisonProgress&) { return true; });
  REQUIRE(std::holds_alternative<ComparisonResult>(outcome));
  const auto& result = std::get<ComparisonResult>(outcome);
  CHECK(made == 3);
  const Metric& jobs = *find_metric("jobs_submitted");
  CHECK(result.samples(1, 0, jobs) == result.samples(0, 0, jobs));
  CHECK(result.samples(1, 1, jobs) != result.samples(0, 1, jobs));
}

}  // namespace sensitivity_test
