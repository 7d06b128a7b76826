#include "cli/jobs/submit_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/jobs/carried_files.hpp"
#include "protocol/hints.hpp"

namespace dmm {
namespace {

constexpr std::size_t submission_length_max = 60;
/// The word that with_script_marked puts before a script; not an option for people.
constexpr const char* script_mark = "--script-follows";

/// Why this can't be the name of a submission; empty if it can.
std::string fault_of_submission(const std::string& name) {
  if (!name.empty() && name.size() <= submission_length_max && std::ranges::all_of(name, is_submission_letter))
    return {};
  return "expected 1 to " + std::to_string(submission_length_max) + " letters, digits, '-', '_' and '.', got '" +
         name + "'";
}

/// Adds an option of the job; a job file has a key instead.
template <class T>
CLI::Option* add_of_job(CLI::App& command, const std::string& name, T& value, const std::string& help,
                        const char* type) {
  return command.add_option(name, value, help)->type_name(type)->group(job_option_group);
}

void add_size_options(CLI::App& command, SubmitOptions& options) {
  auto* processors =
      add_of_job(command, "-n,--processors", options.processors, "Processors, in one component (default 1)", "N");
  processors->check(CLI::Range(1u, 10'000'000u));
  auto* components = add_of_job(
      command, "--components", options.components,
      "Components of these sizes, each on a suitable cluster or on the one that is named", "N[@SITE/CLUSTER],...");
  auto* flexible = add_of_job(command, "--flexible", options.flexible,
                              "This number of processors, divided as suits the clusters", "TOTAL");
  flexible->check(CLI::Range(1u, 10'000'000u));
  components->excludes(processors)->excludes(flexible);
  flexible->excludes(processors);
  add_of_job(command, "--component-min", options.component_min, "Flexible: the least size of a component", "N")
      ->needs(flexible);
  add_of_job(command, "--components-max", options.components_max, "Flexible: the greatest number of components",
             "N")
      ->needs(flexible);
}

/// How often the program runs: a job has at most one of these options.
void add_runner_options(CLI::App& command, SubmitOptions& options) {
  std::vector<CLI::Option*> flags;
  const auto add = [&](const char* name, Runner runner, const char* help) {
    CLI::Option* flag = command.add_flag_callback(
        name, [&options, runner] { options.runner = runner; }, help);
    flag->group(job_option_group);
    for (CLI::Option* other : flags) flag->excludes(other);
    flags.push_back(flag);
  };
  add("--per-node", Runner::per_node, "It runs once on each node (default: once in each component)");
  add("--per-processor", Runner::per_processor, "It runs once for each processor");
  add("--once", Runner::once, "It runs once in all; `dmm exec` in it starts programs on all nodes");
  add("--mpi", Runner::mpi, "It is a program of Open MPI or MPICH, with a rank for each processor");
}

void add_job_file_options(CLI::App& command, SubmitOptions& options) {
  add_of_job(command, "--input", options.input_file,
             "The file here that it reads as standard input, at most " + bytes_text(input_bytes_max) +
                 "; -: from a pipe (default: what `<` names, else nothing)",
             "FILE");
  add_of_job(command, "--stage-in", options.stage_in,
             "A file that is brought to its folder before it starts: a file here, an http or https URL, a file "
             "URL (a path there), or a logical name (`dmm files`)",
             "[NAME=]PATH|URL|lfn:NAME")
      ->allow_extra_args(false);
  add_of_job(command, "--stage-out", options.stage_out,
             "A file of its folder that is brought home when the job is over (default: to NAME here); % as in "
             "--output-file",
             "NAME[=PATH]")
      ->allow_extra_args(false);
  add_of_job(command, "--output-file", options.output_file,
             "The file here for its output; %j: its number, %A and %a: its array and index, %r: which of its "
             "tasks (default: the job manager's folder)",
             "FILE");
  add_of_job(command, "--error-file", options.error_file, "The file here for its standard error", "FILE");
}

void add_job_options(CLI::App& command, SubmitOptions& options) {
  add_size_options(command, options);
  add_runner_options(command, options);
  add_of_job(command, "--memory-mb", options.memory_mb, "The least memory of each node", "MIB");
  add_of_job(command, "--attribute", options.attributes, "An attribute that each node must have", "KEY=VALUE")
      ->allow_extra_args(false);
  add_of_job(command, "--dttl", options.dttl, "Hops that its request may travel (default 5)", "N")
      ->check(CLI::Range(0u, dttl_max));
  add_of_job(command, "--priority", options.priority, "Priority at sites that order by it; greater starts sooner",
             "N");
  add_of_job(command, "--communication", options.communication,
             "Mbit/s that each processor sends to the others, for its placement on several clusters", "F")
      ->check(CLI::Range(0.0, communication_max));
  add_of_job(command, "--reruns", options.reruns, "How often it runs again after a lost node (default 3)", "N");
  add_of_job(command, "--name", options.name, "Its name (default: the program's)", "NAME");
  add_of_job(command, "--directory", options.directory,
             "Its working directory, at the host where it runs (default: a fresh one)", "FOLDER");
  add_of_job(command, "--environment", options.environment, "A variable of its environment", "NAME=VALUE")
      ->allow_extra_args(false);
  add_job_file_options(command, options);
  add_of_job(command, "--array", options.array,
             "It runs once for each index, as in 0-99 or 1,5,7 or 0-30:10; %N behind them: N at a time",
             "INDICES[%N]");
  command
      .add_flag("--go-on", options.goes_on,
                "The job goes on without a component when an owner takes back its nodes (default: it ends, and "
                "runs again)")
      ->group(job_option_group);
  command
      .add_flag(
          "--warn-program-only", options.warns_program_only,
          "SIGTERM, which announces its end, goes to the program alone (default: to all that it started, too)")
      ->group(job_option_group);
  command.add_flag("--hold", options.hold, "It waits until `dmm release`")->group(job_option_group);
  add_of_job(command, "--begin", options.begin,
             "It waits until then: now+1hour, now+90 (seconds), 18:30, 2026-11-27T08:00", "WHEN");
  add_of_job(command, "--dependency", options.dependency,
             "It waits for all of these jobs: after (it began), afterok, afternotok, afterany (it is over)",
             "KIND:JOB,...");
  command.add_flag("--append", options.append, "Append output to these files; other jobs may append to them, too")
      ->group(job_option_group);
  command.add_flag("--discard-output", options.discard_output, "Bring no output back")->group(job_option_group);
  add_of_job(command, "--limit-cpu", options.limits.cpu_seconds, "Processor time of a process", "SECONDS");
  add_of_job(command, "--limit-memory-mb", options.limit_memory_mb, "Address space of a process", "MIB");
  add_of_job(command, "--limit-files", options.limits.open_files, "Open files of a process", "N");
  add_of_job(command, "--limit-file-size", options.limits.file_bytes, "The largest file that it may write",
             "BYTES");
  add_of_job(command, "--limit-wall", options.limits.wall_seconds, "Its longest run time; 0: no limit", "SECONDS");
}

/// How many words the option at this place takes: one if its value is in the same word or missing, else two.
std::size_t words_taken(const CLI::App& command, const std::string& word) {
  const bool is_long = word.starts_with("--");
  const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
  return takes_value && name.size() == word.size() ? 2 : 1;
}

}  // namespace

bool is_submission_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

void add_submit_options(CLI::App& command, SubmitOptions& options) {
  command
      .add_option("command", options.words,
                  "A script here and its arguments, job.json, job.rsl, or a program after --")
      ->type_name("JOB");
  command.add_flag(script_mark, options.is_script)->group("");
  add_manager_options(command, options.manager, Role::job_manager);
  add_job_options(command, options);
  command.add_flag("--check", options.check, "Print what would be submitted, and submit nothing");
  command.add_flag(
      "--wait", options.wait,
      "Wait for its end, also over restarts of the job manager; exit with its exit code (128 + n for signal n), "
      "or 1 if some of its output isn't here; for several jobs, with their greatest exit code");
  command
      .add_option("--submission", options.submission,
                  "A name for this submission, so that repeating it is safe: a job manager takes each name once "
                  "(default: a new name)")
      ->check(fault_of_submission)
      ->type_name("ID");
  command
      .add_option("--look", options.look_seconds,
                  "Without --wait: how long to look whether the job is refused at once (default 0.05)")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("SECONDS");
  command.add_flag("--json", options.json, "Print a JSON object");
}

std::vector<std::string> with_script_marked(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty() || words[0] != "submit") return words;
  const CLI::App* command = app.get_subcommand("submit");
  for (std::size_t i = 1; i < words.size(); i += words_taken(*command, words[i])) {
    if (words[i] == "--") break;
    if (words[i].starts_with('-') && words[i].size() > 1) continue;
    if (is_script_file(words[i]))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), {script_mark, "--"});
    break;
  }
  return words;
}

std::vector<std::string> given_job_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == job_option_group && option->count() > 0) names.push_back(option->get_name());
  return names;
}

}  // namespace dmm
