// `dmm simulate`: one simulation, its result as text or JSON, and its files in a folder.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/simulate/commands.hpp"
#include "cli/simulate/schedule_change.hpp"
#include "cli/simulate/simulate_faults.hpp"
#include "cli/simulate/simulate_progress.hpp"
#include "cli/simulate/simulate_report.hpp"
#include "cli/terminal/display.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/interrupts.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"
#include "simulator/architectures/table.hpp"
#include "simulator/results/simulation_results.hpp"

namespace dmm {
namespace {

struct SimulateOptions {
  SimulationChoice choice;
  std::vector<std::string> changes;
  std::optional<double> sample_every_seconds;
  std::string output;
  bool json = false;
  bool faults = false;
  FaultsChoice faults_choice;
};

/// Thrown to leave a simulation that the user interrupted.
struct Interrupted {
  Instant at;
};

/// About five hundred samples for a model's workload. For logs, with unknown length, one every ten minutes.
Duration default_sampling(const WorkloadChoice& workload) {
  if (workload.model.empty()) return seconds(600);
  return seconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(workload.days * 86400 / 480)));
}

class Simulate {
 public:
  Simulate(const SimulateOptions& options, const SimulationInput& input, std::vector<Replacement> replaced)
      : options_(options), input_(input), replaced_(std::move(replaced)) {}

  int go() {
    auto workload = input_.workload.open();
    if (auto* fault = std::get_if<CommandFault>(&workload)) return fail("simulate", *fault);
    OpenWorkload& opened = std::get<OpenWorkload>(workload);
    progress_.title = title_of(options_.choice, input_);
    progress_.jobs_expected = opened.jobs_expected;
    begin_ = monotonic_now();
    if (!options_.output.empty()) results_.emplace(setup_of_results());
    try {
      auto run = run_simulation(options_.choice, input_, opened, sinks());
      display_.close();
      if (auto* fault = std::get_if<CommandFault>(&run)) return fail("simulate", *fault);
      return tell(std::get<SimulationRun>(run));
    } catch (const Interrupted& interrupted) {
      display_.close();
      std::fprintf(stderr, "interrupted at %s of simulated time%s\n",
                   simulated_date((interrupted.at - Instant{}).in_seconds()).c_str(),
                   results_ ? ("; what is in " + options_.output + " is not complete").c_str() : "");
      return interrupts_.exit_code();
    }
  }

 private:
  ResultsSetup setup_of_results() const {
    return {.folder = options_.output,
            .grid = input_.grid,
            .root_names = input_.root_names,
            .links = options_.choice.architecture == "dmm" ? input_.links : std::vector<LinkEnds>(),
            .title = progress_.title,
            .workload_name = input_.workload.name()};
  }

  SimulationSinks sinks() {
    SimulationSinks sinks;
    sinks.progress = [this](const SimulationProgress& simulated) {
      if (interrupts_.any()) throw Interrupted{simulated.now};
      const Instant now = monotonic_now();
      if (now - begin_ < seconds(1) || !display_.due(now)) return;
      progress_.simulated = simulated;
      progress_.elapsed_seconds = (now - begin_).in_seconds();
      display_.show(
          [this](std::size_t columns, const Style& style) {
            return std::vector<std::string>{cut(" " + style.paint(Ink::bold, progress_.title), columns),
                                            render_simulate_progress(progress_, columns, style)};
          },
          [this] { return render_simulate_progress(progress_); }, now);
    };
    if (!results_) return sinks;
    sinks.outcome = [this](const SimulatedOutcome& ended) { results_->add(ended); };
    sinks.sample = [this](const Sample& sample) { results_->add(sample); };
    return sinks;
  }

  int tell(const SimulationRun& run) {
    const SimulateReport report{options_.choice, input_, run, replaced_};
    const nlohmann::ordered_json json = to_json(report);
    if (options_.json)
      print_json(json);
    else
      print_lines(render_report(report, style_of(STDOUT_FILENO)));
    if (results_) {
      std::string text;
      for (const std::string& line : render_report(report, {.colour = false, .unicode = true}))
        text += line + '\n';
      const std::string fault = results_->finish(run.figures, run.ended_seconds, json.dump(2) + '\n', text);
      if (!fault.empty()) return fail("simulate", {fault, 1});
      std::fflush(stdout);
      std::fprintf(stderr, "results are in %s\n", options_.output.c_str());
    }
    return all_well(report) ? 0 : 1;
  }

  const SimulateOptions& options_;
  const SimulationInput& input_;
  const std::vector<Replacement> replaced_;
  Interrupts interrupts_;
  Display display_{STDERR_FILENO};
  Instant begin_{};
  SimulateProgress progress_;
  std::optional<SimulationResults> results_;
};

int simulate(SimulateOptions options) {
  for (const std::string& text : options.changes) {
    auto change = parse_change(text);
    if (auto* fault = std::get_if<CommandFault>(&change)) return fail("simulate", *fault);
    options.choice.changes.push_back(std::get<SchedulerChange>(std::move(change)));
  }
  sort_changes(options.choice.changes);
  if (!options.output.empty())
    options.choice.sample_every = options.sample_every_seconds ? from_seconds(*options.sample_every_seconds)
                                                               : default_sampling(options.choice.workload);
  const auto input = prepare_simulation(options.choice);
  if (const auto* fault = std::get_if<CommandFault>(&input)) return fail("simulate", *fault);
  auto replaced = replaced_in(options.choice);
  if (const auto* fault = std::get_if<CommandFault>(&replaced)) return fail("simulate", *fault);
  return Simulate(options, std::get<SimulationInput>(input),
                  std::get<std::vector<Replacement>>(std::move(replaced)))
      .go();
}

constexpr const char* simulate_footer =
    "With --output a folder gets jobs.csv (Batsim's columns), outcome.swf, clusters.csv, links.csv, "
    "summary.json,\n"
    "summary.txt, schedule.json, and as SVG utilisation, waiting, waits, goodput and gantt.\n"
    "Equal inputs and seed give equal bytes. Progress goes to standard error.\n"
    "Exit codes: 0 done, 1 jobs lost or nodes not home or results not written, 2 bad input, 130 interrupted.\n"
    "\n"
    "Examples:\n"
    "  dmm simulate --topology topologies/dual-grid.json --model lublin-feitelson --load 0.7 --days 1\n"
    "  dmm simulate --topology topologies/dual-grid.json --model lublin-feitelson --load 0.9 --paper --output "
    "out\n"
    "  dmm simulate --topology topologies/dual-grid.json --workload workloads/dual-grid-day.swf.gz \\\n"
    "      --architecture sep-c --json\n"
    "  dmm simulate --processors 128 --model lublin-feitelson --days 7 --architecture easy --output week\n"
    "  dmm simulate --processors 128 --model lublin-feitelson --days 7 --architecture fcfs --change 259200=easy\n"
    "  dmm simulate --faults --seeds 1000\n";

void add_fault_options(CLI::App& command, SimulateOptions& options) {
  FaultsChoice& choice = options.faults_choice;
  const char* const group = "Faults";
  auto* const faults =
      command.add_flag("--faults", options.faults,
                       "Random grids in which everything goes wrong that can, drawn from --seed and checked");
  faults->group(group);
  const auto only_with_faults = [&](CLI::Option* option) { option->needs(faults)->group(group); };
  only_with_faults(command.add_option("--seeds", choice.seeds, "The number of seeds, one after the other")
                       ->check(CLI::Range(1, 1'000'000'000)));
  auto* const sites = command.add_option("--sites", choice.sites, "The number of sites (default: drawn)");
  only_with_faults(sites->check(CLI::Range(2, 200)));
  only_with_faults(command.add_option("--nodes", choice.nodes, "The number of nodes, roughly (default: drawn)")
                       ->check(CLI::Range(1, 100'000))
                       ->needs(sites));
  only_with_faults(command
                       .add_option("--minutes", choice.minutes,
                                   "Jobs and faults come during this time (default 1.67). A run of more than 60 "
                                   "has no more of them, and all takes longer")
                       ->check(CLI::Range(1.0, 1e5)));
  CLI::Option* const co_allocated =
      command.add_flag("--co-allocated", choice.co_allocated, "Each job has components that no one cluster holds");
  only_with_faults(co_allocated);
  only_with_faults(command
                       .add_flag("--alike", choice.alike,
                                 "Each site has one cluster, all as large: many co-allocations in each second")
                       ->needs(co_allocated));
  only_with_faults(command.add_flag("--keyed", choice.keyed,
                                    "Managers prove link keys, which are exchanged, revoked and certified again"));
  only_with_faults(
      command.add_flag("--files", choice.files, "Half of the jobs have input files; some never come"));
  only_with_faults(
      command.add_option("--trace", choice.trace, "The file for everything that happens")->type_name("FILE"));
}

int play_faults(const SimulateOptions& options) {
  FaultsChoice choice = options.faults_choice;
  choice.seed = options.choice.seed;
  choice.json = options.json;
  return simulate_faults(choice);
}

std::string architectures_help() {
  std::string text =
      "Architectures:\n  dmm             the real site, job and resource managers, message for message\n";
  for (const ArchitectureEntry& entry : architectures())
    text += "  " + pad_right(std::string(entry.name), 16) + std::string(entry.about) + "\n";
  return text + "\n";
}

}  // namespace

CLI::App* add_simulate_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("simulate", "Run a workload in virtual time, under dmm or another architecture");
  auto options = std::make_shared<SimulateOptions>();
  SimulationChoice& choice = options->choice;
  command
      ->add_option("--architecture", choice.architecture,
                   "The architecture to simulate (default dmm), of those below")
      ->type_name("NAME");
  command
      ->add_option("--load", choice.workload.loads,
                   "Load that the model's jobs offer to each cluster (default 0.7); one for all, or one for each")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1000.0))
      ->type_name("LOAD,...");
  add_system_options(*command, choice);
  command->add_option("--change", options->changes, "At this time (seconds) another architecture takes over")
      ->allow_extra_args(false)
      ->type_name("TIME=NAME");
  command->add_option("--output", options->output, "The folder for results")->type_name("FOLDER");
  command
      ->add_option(
          "--sample-every", options->sample_every_seconds,
          "Time between rows of clusters.csv and links.csv (default: a 480th of a model's period, else 600)")
      ->check(CLI::Range(0.001, 1e9))
      ->type_name("SECONDS");
  command->add_flag("--json", options->json, "Print a JSON object");
  add_fault_options(*command, *options);
  command->footer(architectures_help() + simulate_footer);
  command->callback(
      [options, &exit_code] { exit_code = options->faults ? play_faults(*options) : simulate(*options); });
  return command;
}

}  // namespace dmm
