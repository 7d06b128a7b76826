// `dmm simulate` without a process: contradictory options, progress, and a small run with its report.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/simulate/schedule_change.hpp"
#include "cli/simulate/simulate_progress.hpp"
#include "cli/simulate/simulate_report.hpp"
#include "cli/terminal/figures.hpp"

namespace simulate_test {

using namespace dmm;

namespace {

constexpr Style plain_style{.colour = false, .unicode = true};

SimulationChoice small_choice() {
  SimulationChoice choice;
  choice.processors = 16;
  choice.workload.model = "lublin-feitelson";
  choice.workload.correction = "none";
  choice.workload.loads = {0.5};
  choice.architecture = "fcfs";
  return choice;
}

std::string fault_of(const SimulationChoice& choice) {
  const auto input = prepare_simulation(choice);
  const auto* fault = std::get_if<CommandFault>(&input);
  if (fault == nullptr) return {};
  CHECK(fault->exit_code == 2);
  return fault->text;
}

SimulationRun run(const SimulationChoice& choice, const SimulationInput& input) {
  auto workload = input.workload.open();
  auto outcome = run_simulation(choice, input, std::get<OpenWorkload>(workload), {});
  if (auto* fault = std::get_if<CommandFault>(&outcome)) FAIL(fault->text);
  return std::get<SimulationRun>(std::move(outcome));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("simulate: choices that make no sense are told, with what to do") {
  SimulationChoice choice = small_choice();
  choice.processors = 0;
  CHECK(has(fault_of(choice), "--topology FILE or --processors P"));
  choice = small_choice();
  choice.topology = "grid.json";
  CHECK(has(fault_of(choice), "either --topology"));
  choice.processors = 0;
  CHECK(has(fault_of(choice), "grid.json"));
  choice = small_choice();
  choice.architecture = "esy";
  CHECK(has(fault_of(choice), "did you mean \"easy\"?"));
  choice = small_choice();
  choice.workload.model.clear();
  CHECK(has(fault_of(choice), "--workload FILE, --model"));
  choice.workload.logs = {"7=none.swf"};
  CHECK(has(fault_of(choice), "no cluster \"7\""));
  choice = small_choice();
  choice.sites.target = "hint";
  CHECK(has(fault_of(choice), "--target: there is no policy \"hint\" (did you mean \"hints\"?)"));
  choice = small_choice();
  choice.architecture = "dmm";
  choice.changes = {{Instant{}, "fcfs"}};
  CHECK(has(fault_of(choice), "--change"));
  CHECK(fault_of(small_choice()).empty());
}

TEST_CASE("simulate: a change of the architecture is a time and a name") {
  const auto good = parse_change("3600.5=easy");
  REQUIRE(std::holds_alternative<SchedulerChange>(good));
  CHECK(std::get<SchedulerChange>(good).at == Instant{} + from_seconds(3600.5));
  for (const char* bad :
       {"easy", "=easy", "x=easy", "-1=easy", "nan=easy", "1e99=easy", "10=", "10=dmm", "10=esy", ""}) {
    INFO(bad);
    CHECK(std::holds_alternative<CommandFault>(parse_change(bad)));
  }
}

TEST_CASE("simulate: settings reach every site, whatever the topology sets there") {
  SimulationChoice choice = small_choice();
  choice.sites.paper = true;
  choice.sites.delegation_threshold = 1.25;
  choice.sites.cycle_seconds = 100;
  auto topology = topology_of(choice);
  REQUIRE(std::holds_alternative<Topology>(topology));
  const SiteSettings& settings = std::get<Topology>(topology).sites.front().settings;
  CHECK_FALSE(settings.use_hints);
  CHECK(settings.dispatching_policy == "fcfs");
  CHECK(settings.delegation_threshold == 1.25);
  CHECK(settings.matchmaking_cycle == seconds(100));
  CHECK(settings.delegation_cycle == seconds(50));
  CHECK_FALSE(has_cool_down(choice));
  choice.cool_down = true;
  CHECK(has_cool_down(choice));
}

TEST_CASE(
    "simulate: sites have the daemons' defaults; what is replaced is listed, and is never a key that was given") {
  SimulationChoice choice = small_choice();
  choice.architecture = "dmm";
  const SiteSettings plain = std::get<Topology>(topology_of(choice)).sites.front().settings;
  CHECK(plain.term == SiteSettings{}.term);
  CHECK(plain.hint_interval == SiteSettings{}.hint_interval);
  CHECK(std::get<std::vector<Replacement>>(replaced_in(choice)).size() == 1);
  choice.sites.coarse = true;
  choice.overrides = {"defaults.term_seconds=30"};
  CHECK(std::get<Topology>(topology_of(choice)).sites.front().settings.term == seconds(30));
  const auto json = to_json(std::get<std::vector<Replacement>>(replaced_in(choice)));
  CHECK_FALSE(has(json.dump(), "\"term_seconds\""));
  CHECK(has(json.dump(), R"({"key":"hint_interval_seconds","daemon":0.1,"used":600,"by":"--coarse","sites":1})"));
  choice.sites.term_seconds = 100;
  CHECK(has(fault_of(choice), "--term sets term_seconds at all sites"));
}

TEST_CASE("simulate: a simulation gives the same report twice, with the keys of dmm run") {
  const SimulationChoice choice = small_choice();
  auto input = prepare_simulation(choice);
  REQUIRE(std::holds_alternative<SimulationInput>(input));
  const SimulationInput& ready = std::get<SimulationInput>(input);
  const SimulationRun first = run(choice, ready), second = run(choice, ready);
  const auto replaced = std::get<std::vector<Replacement>>(replaced_in(choice));
  const auto json = to_json({choice, ready, first, replaced});
  CHECK(json.dump() == to_json({choice, ready, second, replaced}).dump());
  for (const char* key :
       {"topology", "workload", "processors", "jobs_submitted", "jobs_finished", "average_wait_seconds",
        "average_bounded_slowdown", "utilisation", "goodput", "delegations_per_job", "messages", "ok"}) {
    INFO(key);
    CHECK(json.contains(key));
  }
  CHECK(json["jobs_submitted"] > 0);
  CHECK(json["jobs_finished"] == json["jobs_submitted"]);
  CHECK(json["goodput"]["local"] == 1);
  std::string text;
  for (const std::string& line : render_report({choice, ready, first, replaced}, plain_style)) text += line + '\n';
  CHECK(has(text, "fcfs on one-cluster; lublin-feitelson, load 0.5, 1 d; seed 1"));
  CHECK(has(text, "jobs finished"));
  CHECK(has(text, "utilisation"));
}

TEST_CASE("simulate: without the cool-down phase a job that hasn't ended is unfinished") {
  SimulationChoice choice = small_choice();
  choice.workload.loads = {1.5};
  choice.cool_down = false;
  auto input = prepare_simulation(choice);
  REQUIRE(std::holds_alternative<SimulationInput>(input));
  const SimulationRun stopped = run(choice, std::get<SimulationInput>(input));
  CHECK(stopped.figures.jobs_unfinished > 0);
  CHECK(stopped.ended_seconds < 86400);
  CHECK(stopped.figures.utilisation > 0.3);
  CHECK(stopped.figures.utilisation <= 1);
}

TEST_CASE("simulate: the progress of a simulation fits into one line") {
  SimulateProgress progress;
  progress.title = "dmm on dual-grid";
  progress.simulated = {Instant{} + seconds(86400 + 6 * 3600 + 720), 6000, 4000, 1'000'000};
  progress.jobs_expected = 10'000;
  progress.elapsed_seconds = 10;
  CHECK(render_simulate_progress(progress) ==
        "day 2, 06:12   4,000 of 10,000 jobs done   100,000 events/s   00:10 left");
  for (const std::size_t columns : {20, 60, 80, 120})
    CHECK(columns_of(render_simulate_progress(progress, columns, {.colour = true, .unicode = true})) <= columns);
  progress.jobs_expected = 0;
  CHECK(render_simulate_progress(progress) == "day 2, 06:12   4,000 jobs done   100,000 events/s");
  CHECK(simulated_date(59) == "day 1, 00:00");
}

TEST_CASE(
    "simulate: it is well only if no job was lost, or started again without a cause, and every node is home") {
  const SimulationChoice choice = small_choice();
  const auto input = prepare_simulation(choice);
  const auto& prepared = std::get<SimulationInput>(input);
  const std::vector<Replacement> none;
  const auto is_well_with = [&](const auto& change) {
    SimulationRun changed = run(choice, prepared);
    change(changed);
    return all_well({choice, prepared, changed, none});
  };
  CHECK(is_well_with([](SimulationRun&) {}));
  CHECK_FALSE(is_well_with([](SimulationRun& one) { one.figures.jobs_lost = 1; }));
  CHECK_FALSE(is_well_with([](SimulationRun& one) { one.totals.jobs_rerun = 1; }));
  CHECK_FALSE(is_well_with([](SimulationRun& one) { one.totals.nodes_not_home = 1; }));
  CHECK(is_well_with([](SimulationRun& one) { one.totals.jobs_interrupted = 1; }));
}

}  // namespace simulate_test
