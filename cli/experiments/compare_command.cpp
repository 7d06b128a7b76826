// `dmm compare`: several simulations side by side, with confidence intervals; or an experiment of one of the papers.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/experiments/commands.hpp"
#include "cli/experiments/comparison_report.hpp"
#include "cli/experiments/experiments.hpp"
#include "cli/terminal/display.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/interrupts.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"
#include "simulator/results/result_file.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

struct CompareOptions {
  ExperimentOptions about;
  std::string experiment;
  std::vector<std::string> metrics;
  std::uint32_t jobs_at_once = 0;  ///< 0: as many as this machine has processors
  std::string output;
  bool json = false;
  bool csv = false;
};

std::vector<std::string_view> chosen_metrics(const CompareOptions& options) {
  std::vector<std::string_view> names(options.metrics.begin(), options.metrics.end());
  if (names.empty())
    names = {"goodput_processor_hours", "jobs_finished_percent", "average_wait_seconds",
             "average_slowdown",        "delegations_per_job",   "messages_per_job"};
  return names;
}

/// The comparison without an experiment, from the options alone: architectures over loads, or over thresholds.
Comparison comparison_of(const CompareOptions& options) {
  const ExperimentOptions& about = options.about;
  Comparison comparison;
  comparison.name = "comparison";
  comparison.variants = about.architectures.empty() ? std::vector<std::string>{"dmm"} : about.architectures;
  comparison.metrics = chosen_metrics(options);
  comparison.repetitions = std::max(1u, about.repetitions);
  comparison.seed = about.choice.seed;
  const bool by_threshold = !about.thresholds.empty();
  const bool by_model = !about.choice.workload.model.empty();
  comparison.title = by_threshold ? "Delegation thresholds compared" : "Architectures compared";
  comparison.x_label = by_threshold ? "delegation threshold" : by_model ? "load of each cluster [%]" : "workload";
  comparison.point_label = by_threshold ? "threshold" : by_model ? "load" : "workload";
  const std::vector<double> loads = about.loads.empty() ? about.choice.workload.loads : about.loads;
  if (by_threshold)
    for (const double threshold : about.thresholds)
      comparison.points.push_back({decimal(threshold, 2), threshold});
  else if (by_model)
    for (const double load : loads) comparison.points.push_back(load_point(load));
  else
    comparison.points = {{"as recorded", 0}};
  comparison.choice = [about, loads, by_threshold, by_model, variants = comparison.variants](std::size_t point,
                                                                                             std::size_t variant) {
    SimulationChoice choice = about.choice;
    if (by_threshold) choice.sites.delegation_threshold = about.thresholds[point];
    if (by_model) choice.workload.loads = {by_threshold ? loads.front() : loads[point]};
    set_variant(choice, variants[variant]);
    return choice;
  };
  return comparison;
}

std::optional<CommandFault> fault_of(CompareOptions& options) {
  std::vector<std::string>& names = options.about.architectures;
  if (const auto paper = std::find(names.begin(), names.end(), "paper"); paper != names.end()) {
    const std::size_t at = static_cast<std::size_t>(paper - names.begin());
    names.erase(paper);
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(at), paper_architectures().begin(),
                 paper_architectures().end());
  }
  for (const std::string& name : names)
    if (auto fault = fault_of_architecture(name == "dmm-paper" ? "dmm" : name))
      return CommandFault{"--architectures: " + fault->text + "; dmm-paper is dmm under --paper, paper all six",
                          2};
  for (const std::string& name : options.metrics)
    if (find_metric(name) == nullptr) {
      std::vector<std::string> known;
      for (const Metric& metric : metrics()) known.emplace_back(metric.name);
      return CommandFault{
          "--metrics: there is no \"" + name + "\"" + suggestion(name, known) + "; there are " + list_of(known),
          2};
    }
  if (!options.experiment.empty() && find_experiment(options.experiment) == nullptr) {
    std::vector<std::string> known;
    for (const ExperimentEntry& entry : experiments()) known.emplace_back(entry.name);
    return CommandFault{"--experiment: there is no \"" + options.experiment + "\"" +
                            suggestion(options.experiment, known) + "; there are " + list_of(known),
                        2};
  }
  return std::nullopt;
}

class Compare {
 public:
  explicit Compare(const CompareOptions& options) : options_(options) {}

  int go() {
    ExperimentPlan plan = options_.experiment.empty() ? ExperimentPlan(std::vector{comparison_of(options_)})
                                                      : find_experiment(options_.experiment)->plan(options_.about);
    if (auto* fault = std::get_if<CommandFault>(&plan)) return fail("compare", *fault);
    if (auto* other = std::get_if<OtherExperiment>(&plan)) return run_other(*other);
    auto all = nlohmann::ordered_json::array();
    for (Comparison& comparison : std::get<std::vector<Comparison>>(plan)) {
      if (!options_.metrics.empty()) comparison.metrics = chosen_metrics(options_);
      if (const int code = run_one(comparison, all); code != 0) return code;
    }
    if (options_.json) print_json(all.size() == 1 ? all[0] : all);
    return 0;
  }

 private:
  int run_one(const Comparison& comparison, nlohmann::ordered_json& all) {
    if (comparison.variant_ahead) {
      result_ = result_.of_variant(*comparison.variant_ahead);
    } else {
      auto outcome = simulate(comparison);
      if (const auto* fault = std::get_if<CommandFault>(&outcome)) {
        const int code = fail("compare", *fault);
        return interrupts_.any() ? interrupts_.exit_code() : code;
      }
      result_ = std::get<ComparisonResult>(std::move(outcome));
    }
    if (comparison.digest) {
      const OtherResult digest = comparison.digest(result_);
      if (options_.json) all.push_back(nlohmann::ordered_json::parse(digest.json));
      if (!options_.json) print_other(digest);
      return write_other(digest);
    }
    if (options_.json) all.push_back(comparison_json(comparison, result_));
    if (options_.csv) std::printf("%s", comparison_csv(comparison, result_).c_str());
    if (!options_.json && !options_.csv)
      std::printf("%s%s", shown_++ > 0 ? "\n" : "",
                  comparison_table(comparison, result_, style_of(STDOUT_FILENO)).c_str());
    if (options_.output.empty()) return 0;
    const std::string fault = write_comparison(options_.output, comparison, result_);
    if (!fault.empty()) return fail("compare", {fault, 1});
    std::fflush(stdout);
    std::fprintf(stderr, "%s is in %s\n", comparison.name.c_str(), options_.output.c_str());
    return 0;
  }

  OrFault<ComparisonResult, CommandFault> simulate(const Comparison& comparison) {
    const std::uint32_t threads =
        options_.jobs_at_once > 0 ? options_.jobs_at_once : std::max(1u, std::thread::hardware_concurrency());
    auto outcome = run_comparison(comparison, threads, [&](const ComparisonProgress& progress) {
      show(comparison.title, progress);
      return !interrupts_.any();
    });
    display_.close();
    return outcome;
  }

  void show(const std::string& title, const ComparisonProgress& progress) {
    const Instant now = monotonic_now();
    if (progress.elapsed_seconds < 2 || !display_.due(now)) return;
    std::string text = grouped(progress.done) + " of " + count_text(progress.runs, "run") + " done";
    const double share =
        static_cast<double>(progress.done) / static_cast<double>(std::max<std::uint64_t>(1, progress.runs));
    if (progress.done > 0 && progress.done < progress.runs)
      text += "   " + clock_text(progress.elapsed_seconds * (1 - share) / share) + " left";
    display_.show(
        [&](std::size_t columns, const Style& style) {
          return std::vector<std::string>{
              cut(" " + style.paint(Ink::bold, title) + "  " + clock_text(progress.elapsed_seconds), columns),
              cut(" " + style.paint(Ink::green, bar(share, 24, style)) + "  " + text, columns)};
        },
        [&] { return title + ": " + text; }, now);
  }

  int run_other(const OtherExperiment& experiment) {
    const auto outcome =
        experiment([this](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
    if (const auto* fault = std::get_if<CommandFault>(&outcome)) return fail("compare", *fault);
    const auto& result = std::get<OtherResult>(outcome);
    print_other(result);
    return write_other(result);
  }

  void print_other(const OtherResult& result) const {
    if (options_.csv)
      std::printf("%s", result.files.front().second.c_str());
    else
      std::printf("%s\n", (options_.json ? result.json : result.text).c_str());
  }

  int write_other(const OtherResult& result) const {
    if (options_.output.empty()) return 0;
    std::error_code error;
    std::filesystem::create_directories(options_.output, error);
    if (error) return fail("compare", {"cannot make the folder " + options_.output + ": " + error.message(), 1});
    for (const auto& [name, text] : result.files)
      if (std::string fault = write_file(options_.output + "/" + name, text); !fault.empty())
        return fail("compare", {fault, 1});
    return 0;
  }

  const CompareOptions& options_;
  Interrupts interrupts_;
  Display display_{STDERR_FILENO};
  ComparisonResult result_;  ///< of the last comparison
  int shown_ = 0;
};

int compare(CompareOptions options) {
  if (auto fault = fault_of(options)) return fail("compare", *fault);
  return Compare(options).go();
}

std::string experiments_help() {
  std::string text = "Experiments:\n";
  for (const ExperimentEntry& entry : experiments())
    text += "  " + pad_right(std::string(entry.name), 12) + std::string(entry.about) + "\n";
  return text + "\n";
}

constexpr const char* compare_footer =
    "Every value is a mean over the repetitions, with half of its 95 % confidence interval (Student's t). Runs go "
    "over\n"
    "the processors of this machine; the result doesn't depend on how many there are.\n"
    "Exit codes: 0 done, 1 results not written, 2 bad input, 130 interrupted.\n"
    "\n"
    "Examples:\n"
    "  dmm compare --topology topologies/dual-grid.json --model lublin-feitelson --architectures dmm,sep-c \\\n"
    "      --loads 0.3,0.7,0.9 --repetitions 5 --no-cool-down\n"
    "  dmm compare --topology topologies/dual-grid.json --model lublin-feitelson --architectures paper --paper "
    "\\\n"
    "      --loads 0.7 --repetitions 10 --output out\n"
    "  dmm compare --experiment figure7 --repetitions 3 --output figures\n"
    "  dmm compare --experiment idle-nodes --workload local.swf --processors 16 --work-minutes 1000\n";

void add_what_is_compared(CLI::App& command, CompareOptions& options) {
  command.add_option("--experiment", options.experiment, "An experiment of the papers, listed below")
      ->type_name("NAME");
  command
      .add_option("--architectures", options.about.architectures,
                  "The architectures to compare; paper: the six of the paper, dmm-paper: dmm under --paper")
      ->delimiter(',')
      ->type_name("NAME,...");
  command.add_option("--loads", options.about.loads, "Loads of the model's jobs")
      ->delimiter(',')
      ->check(CLI::Range(0.001, 1000.0))
      ->type_name("LOAD,...");
  command.add_option("--thresholds", options.about.thresholds, "Delegation thresholds, instead of loads")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("LOAD,...");
  command
      .add_option("--repetitions", options.about.repetitions,
                  "Runs of each point, with the seeds from --seed on (default 1)")
      ->check(CLI::Range(1u, 10'000u))
      ->type_name("N");
  command.add_option("--metrics", options.metrics, "The columns to show, by their names in the JSON")
      ->delimiter(',')
      ->type_name("NAME,...");
}

}  // namespace

CLI::App* add_compare_command(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("compare", "Simulate several architectures side by side, and the papers' experiments");
  auto options = std::make_shared<CompareOptions>();
  add_what_is_compared(*command, *options);
  command
      ->add_option("--jobs-per-cluster", options->about.jobs,
                   "Jobs for each cluster in mini-grid (default 400,000) and mini-grid-managers (1,000)")
      ->type_name("N");
  command
      ->add_option("--work-minutes", options->about.work_minutes,
                   "For idle-nodes: node-minutes of the bag (default 7,200)")
      ->type_name("N");
  command
      ->add_option("--bag-at", options->about.bag_at_minutes,
                   "For idle-nodes: minutes until the bag is submitted (default a week)")
      ->type_name("N");
  add_system_options(*command, options->about.choice);
  command
      ->add_option("--jobs-at-once", options->jobs_at_once,
                   "Simulations at a time (default: one for each processor)")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  command->add_option("--output", options->output, "The folder for tables and figures")->type_name("FOLDER");
  auto* json = command->add_flag("--json", options->json, "Print a JSON object");
  command->add_flag("--csv", options->csv, "Print CSV: a row for each point and variant")->excludes(json);
  command->footer(experiments_help() + compare_footer);
  command->callback([options, &exit_code] { exit_code = compare(*options); });
  return command;
}

}  // namespace dmm
