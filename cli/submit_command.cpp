// `dmm submit`: one job, from a command line or a JSON file, to a job manager; waits for its end if wanted, and then
// ends as the job did. What happens to the job manager meanwhile is a matter of patience, not of the job.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "cli/job_conditions.hpp"
#include "cli/job_file.hpp"
#include "cli/job_output.hpp"
#include "cli/json_text.hpp"
#include "cli/patient_client.hpp"
#include "cli/questions.hpp"
#include "cli/registry.hpp"
#include "protocol/hints.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

/// How long a job manager that was reached is waited for until it says that it took the job.
constexpr Duration submit_patience = seconds(60);
constexpr std::size_t submission_length_max = 60;

struct SubmitOptions {
  ManagerOptions manager;
  std::vector<std::string> words;  ///< the command, or one file
  std::string name, components, output_file, error_file, directory;
  std::string begin, dependency;
  std::vector<std::string> attributes, environment;
  std::uint32_t processors = 1, flexible = 0, dttl = 5, reruns = 3;
  std::uint32_t component_min = 1, components_max = 0;
  std::int32_t priority = 0;
  std::uint64_t memory_mb = 0;
  Limits limits;
  std::uint64_t limit_memory_mb = 0;
  std::string submission;      ///< the name of this submission; empty: a new one
  double look_seconds = 0.05;  ///< for a refusal
  bool wait = false, discard_output = false, append = false, hold = false, json = false;
  std::vector<std::string> job_options;  ///< those that were given and that a file would say itself
};

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '-' || letter == '_' || letter == '.';
}

/// Empty if it may name a submission.
std::string fault_of_submission(const std::string& name) {
  if (!name.empty() && name.size() <= submission_length_max && std::ranges::all_of(name, is_name_letter)) return {};
  return "expected 1 to " + std::to_string(submission_length_max) + " letters, digits, '-', '_' and '.', got '" + name +
         "'";
}

/// "8,8,8" as components.
bool read_components(const std::string& text, ResourceNeed& need) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (const char c : text + ',') {
    if (c >= '0' && c <= '9' && digits < 8) {
      size = size * 10 + static_cast<std::uint64_t>(c - '0'), ++digits;
      continue;
    }
    if (c != ',' || digits == 0 || size == 0) return false;
    need.components.push_back({static_cast<std::uint32_t>(size), {}, {}});
    size = digits = 0;
  }
  return true;
}

std::string read_need(const SubmitOptions& options, ResourceNeed& need) {
  if (!options.components.empty() && !read_components(options.components, need))
    return "--components: expected sizes with commas between, as in 8,8,8, got '" + options.components + "'";
  if (options.flexible > 0) {
    need.kind = RequestKind::flexible;
    need.components.push_back({options.flexible, {}, {}});
    need.component_processors_min = options.component_min;
    need.components_max = options.components_max;
  }
  if (need.components.empty()) need.components.push_back({options.processors, {}, {}});
  need.constraints.memory_bytes = options.memory_mb << 20;
  for (const std::string& text : options.attributes) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return "--attribute: expected KEY=VALUE, got '" + text + "'";
    need.constraints.attributes[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

/// When the job may be asked for; why that can't be read, or nothing.
std::string read_conditions(const SubmitOptions& options, JobDescription& job, std::vector<JobName>& named) {
  job.hold = options.hold;
  if (!options.begin.empty()) {
    const auto begin = parse_begin(options.begin, wall_microseconds() / 1'000'000);
    if (const auto* fault = std::get_if<std::string>(&begin)) return "--begin: " + *fault;
    job.begin_seconds = std::get<std::uint32_t>(begin);
  }
  if (options.dependency.empty()) return {};
  auto dependencies = parse_dependencies(options.dependency, named);
  if (const auto* fault = std::get_if<std::string>(&dependencies)) return "--dependency: " + *fault;
  job.dependencies = std::get<RareList<Dependency>>(std::move(dependencies));
  return {};
}

/// `named`: gets the full names of jobs that it depends on.
OrFault<JobDescription, JobFault> job_from(const SubmitOptions& options, std::vector<JobName>& named) {
  if (options.words.size() == 1 && options.words[0].ends_with(".json")) {
    if (!options.job_options.empty())
      return JobFault{options.job_options.front() + ": a job file says this itself; leave the option out"};
    return read_job_file(options.words[0], &named);
  }
  if (options.words.empty()) return JobFault{"nothing to run; expected a job file, or -- COMMAND ARGUMENTS"};
  JobDescription job;
  job.name = options.name.empty() ? std::filesystem::path(options.words[0]).filename().string() : options.name;
  job.program.arguments = options.words;
  if (!options.directory.empty() && options.directory[0] != '/')
    return JobFault{"--directory: expected an absolute path, where the job runs; got '" + options.directory + "'"};
  job.program.working_directory = options.directory;
  job.program.limits = options.limits;
  job.program.limits.memory_bytes = options.limit_memory_mb << 20;
  for (const std::string& text : options.environment) {
    if (text.find('=') == std::string::npos || text[0] == '=')
      return JobFault{"--environment: expected NAME=VALUE, got '" + text + "'"};
    job.program.environment.push_back(text);
  }
  if (std::string fault = read_need(options, job.need); !fault.empty()) return JobFault{std::move(fault)};
  if (std::string fault = read_conditions(options, job, named); !fault.empty()) return JobFault{std::move(fault)};
  job.dttl = options.dttl;
  job.priority = options.priority;
  job.reruns_max = options.reruns;
  job.keep_output = !options.discard_output;
  job.append = options.append;
  job.output_path = absolute(options.output_file);
  job.error_path = absolute(options.error_file);
  if (std::string fault = fault_of(job); !fault.empty()) return JobFault{std::move(fault)};
  return job;
}

/// As a shell says it: the job's own status, 128 + n for signal n, 1 for what isn't the program's doing.
int exit_code_of(const ToldJob& job) {
  if (job.state == "finished") return 0;
  if (job.exit_kind == "exited" && job.exit_code != 0) return job.exit_code;
  if (job.exit_kind == "signalled") return 128 + job.exit_code;
  return 1;
}

/// Where the job's output is, and whether all of it; nothing of a job that wrote none.
JobOutput output_of(const ToldJob& job, const Manager& manager) {
  if (!job.keep_output || job.exit_kind.empty()) return {};
  JobOutput output = ask_output(manager, job.number);
  for (JobOutputFile* file : {&output.output, &output.error})
    if (!file->began) file->path.clear();
  return output;
}

int tell_end(const SubmitOptions& options, const Json& json, const Manager& manager) {
  const ToldJob job = job_from_json(json);
  const JobOutput output = output_of(job, manager);
  int code = exit_code_of(job);
  if (code == 0 && output.is_short()) code = 1;
  if (options.json) {
    Json result = json;
    result["output_path"] = output.output.path;
    result["error_path"] = output.error.path;
    result["exit_code"] = code;
    return print_json(result), code;
  }
  std::printf("%s %s", job.request.c_str(), job.state.c_str());
  if (job.exit_kind == "exited") std::printf(", exit status %d", job.exit_code);
  if (job.exit_kind == "signalled") std::printf(", signal %d", job.exit_code);
  if (!job.owner.empty()) std::printf(", on %s", harmless(job.owner).c_str());
  std::printf("%s\n", job.text.empty() ? "" : (": " + harmless(job.text)).c_str());
  if (!output.output.path.empty()) std::printf("output: %s\n", harmless(output.output.path).c_str());
  if (!output.error.path.empty() && output.error.path != output.output.path)
    std::printf("errors: %s\n", harmless(output.error.path).c_str());
  std::fflush(stdout);
  if (job.state == "failed") std::fprintf(stderr, "%s", last_lines(output.error.path).c_str());
  if (output.is_short()) fail("submit", {output_complaint(output, job.request), code});
  return code;
}

/// A name that no other submission has, also where several machines share a job manager.
std::string new_submission() {
  std::array<char, 64> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string name = std::string(host.data()).substr(0, 20) + '-' + std::to_string(::getpid()) + '-' +
                     std::to_string(wall_microseconds());
  for (char& letter : name)
    if (!is_name_letter(letter)) letter = '-';
  return name;
}

std::string job_name(const Manager& manager, std::uint64_t number) {
  return manager.party.site.text + "/" + manager.party.name + "/" + std::to_string(number);
}

/// A submission that wasn't answered may have been taken all the same: how to repeat it safely.
int fail_unanswered(const SubmitOptions& options, PatientClient& client, const Reply& reply) {
  std::string text = reply.fault;
  const bool may_be_taken = client.reached() && reply.why != Unanswered::no && reply.why != Unanswered::too_long;
  if (may_be_taken)
    text += "\nThe job may have been taken all the same. To submit it once and no more, repeat the command with "
            "--submission " + options.submission;
  fail("submit", {text, 1});
  return client.interrupted() ? client.interrupts().exit_code() : 1;
}

int wait_for_end(const SubmitOptions& options, PatientClient& client, std::uint64_t number) {
  for (Duration pause = milliseconds(20);; pause = std::min(pause * 2, milliseconds(500))) {
    const Reply reply = client.wait(client.ask("job", Json{{"job", number}}.dump()));
    if (client.interrupted()) break;
    if (!reply.fault.empty()) return fail("submit", {reply.fault, 1});
    const Json json = Json::parse(reply.text, nullptr, false);
    if (!json.is_object()) return fail("submit", {"the job manager answered what is no JSON object", 1});
    if (job_from_json(json).over()) return tell_end(options, json, client.manager());
    client.pause(pause);
    if (client.interrupted()) break;
  }
  std::fprintf(stderr, "dmm submit: no longer waiting; the job goes on (`dmm cancel %s` ends it)\n",
               job_name(client.manager(), number).c_str());
  return client.interrupts().exit_code();
}

/// The job, if its site refuses it at once: a refusal comes within milliseconds, or much later, or never.
std::optional<ToldJob> refused_at_once(const SubmitOptions& options, PatientClient& client, std::uint64_t number) {
  const Instant end = monotonic_now() + from_seconds(options.look_seconds);
  for (Duration pause = milliseconds(2); monotonic_now() < end; pause = std::min(pause * 2, milliseconds(20))) {
    const Reply reply = client.wait(client.ask("job", Json{{"job", number}}.dump()), end - monotonic_now());
    const Json json = Json::parse(reply.text, nullptr, false);
    if (!reply.fault.empty() || !json.is_object()) break;
    ToldJob job = job_from_json(json);
    if ((job.state == "failed" || job.state == "cancelled") && job.exit_kind.empty()) return job;
    if (job.state != "waiting" || client.interrupted()) break;
    client.pause(std::min(pause, std::max(Duration{}, end - monotonic_now())));
  }
  return std::nullopt;
}

int tell_submitted(const SubmitOptions& options, PatientClient& client, std::uint64_t number) {
  const Manager& manager = client.manager();
  const auto refused = refused_at_once(options, client, number);
  const std::string name = job_name(manager, number);
  if (options.json)
    print_json({{"request", name},
                {"job", number},
                {"site", manager.party.site.text},
                {"user", manager.party.name},
                {"submission", options.submission},
                {"refused", refused ? refused->text : std::string()}});
  else
    std::printf("%s\n", name.c_str());
  if (!refused) return 0;
  const std::string state = refused->state == "cancelled" ? "cancelled: " : "";
  return fail("submit", {name + " was " + state + harmless(refused->text), 1});
}

/// Nothing but the command line goes to where the job runs.
void note_that_files_stay(const SubmitOptions& options) {
  const std::string& program = options.words.front();
  std::error_code error;
  if (program.starts_with('/') || program.ends_with(".json") || !std::filesystem::is_regular_file(program, error))
    return;
  std::fprintf(
      stderr,
      "dmm submit: files don't travel: where the job runs, %s must be in PATH or named by an absolute path\n",
      harmless(program).c_str());
}

int run(SubmitOptions options) {
  std::vector<JobName> named;
  auto described = job_from(options, named);
  if (auto* fault = std::get_if<JobFault>(&described)) return fail("submit", {fault->text, 2});
  note_that_files_stay(options);
  auto chosen = choose_manager(options.manager, Role::job_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("submit", *fault);
  if (const std::string fault = fault_of_names(named, std::get<Manager>(chosen).party); !fault.empty())
    return fail("submit", {fault, 2});
  if (options.submission.empty()) options.submission = new_submission();
  PatientClient client("submit", std::get<Manager>(chosen), options.submission);
  if (!client.fault().empty()) return fail("submit", {client.fault(), 2});
  const Reply reply = client.wait(client.submit({std::get<JobDescription>(described)}), submit_patience);
  if (!reply.fault.empty()) return fail_unanswered(options, client, reply);
  const std::uint64_t number = reply.submitted.first_job;
  return options.wait ? wait_for_end(options, client, number) : tell_submitted(options, client, number);
}

/// An option that a job file would say itself.
template <class T>
CLI::Option* add(CLI::App& command, const std::string& name, T& value, const std::string& help, const char* type) {
  return command.add_option(name, value, help)->type_name(type)->group("The job");
}

void add_job_options(CLI::App& command, SubmitOptions& options) {
  auto* processors =
      add(command, "-n,--processors", options.processors, "Processors, in one component (default 1)", "N");
  processors->check(CLI::Range(1u, 10'000'000u));
  auto* components = add(command, "--components", options.components, "Components of these sizes", "N,...");
  auto* flexible =
      add(command, "--flexible", options.flexible, "So many processors, divided as it suits", "TOTAL");
  flexible->check(CLI::Range(1u, 10'000'000u));
  components->excludes(processors)->excludes(flexible);
  flexible->excludes(processors);
  add(command, "--component-min", options.component_min, "Flexible: no component is smaller", "N")
      ->needs(flexible);
  add(command, "--components-max", options.components_max, "Flexible: not more components", "N")->needs(flexible);
  add(command, "--memory-mb", options.memory_mb, "Memory of each node, at least", "MIB");
  add(command, "--attribute", options.attributes, "What each node must have", "KEY=VALUE")
      ->allow_extra_args(false);
  add(command, "--dttl", options.dttl, "Hops that its request may travel (default 5)", "N")
      ->check(CLI::Range(0u, dttl_max));
  add(command, "--priority", options.priority, "For sites that order by it; greater is sooner", "N");
  add(command, "--reruns", options.reruns, "How often it runs again after a lost node (default 3)", "N");
  add(command, "--name", options.name, "Its name (default: the program's)", "NAME");
  add(command, "--directory", options.directory, "Where it works, there (default: a fresh one)", "FOLDER");
  add(command, "--environment", options.environment, "A variable for it", "NAME=VALUE")->allow_extra_args(false);
  add(command, "--output-file", options.output_file,
      "Where its output goes, here; %j: its number (default: the job manager's folder)", "FILE");
  add(command, "--error-file", options.error_file, "Where its standard error goes, here", "FILE");
  command
      .add_flag("--append", options.append, "Add output to what is in these files; other jobs may do so, too")
      ->group("The job");
  command.add_flag("--discard-output", options.discard_output, "Bring no output back")->group("The job");
  command.add_flag("--hold", options.hold, "It waits until `dmm release`")->group("The job");
  add(command, "--begin", options.begin,
      "It waits until then: now+1hour, now+90 (seconds), 18:30, 2026-11-27T08:00", "WHEN");
  add(command, "--dependency", options.dependency,
      "It waits for all of these jobs: after (it began), afterok, afternotok, afterany (it is over)",
      "KIND:JOB,...");
  add(command, "--limit-cpu", options.limits.cpu_seconds, "Processor time of a process", "SECONDS");
  add(command, "--limit-memory-mb", options.limit_memory_mb, "Address space of a process", "MIB");
  add(command, "--limit-files", options.limits.open_files, "Open files of a process", "N");
  add(command, "--limit-file-size", options.limits.file_bytes, "The largest file that it may write", "BYTES");
  add(command, "--limit-wall", options.limits.wall_seconds, "Its run time", "SECONDS");
}

}  // namespace

CLI::App* add_submit_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("submit", "Submit a job: a command line, or a JSON file");
  auto options = std::make_shared<SubmitOptions>();
  command->add_option("command", options->words, "job.json, or a command after --")->type_name("JOB");
  add_manager_options(*command, options->manager, Role::job_manager);
  add_job_options(*command, *options);
  command->add_flag("--wait", options->wait,
                    "Wait for its end, also over restarts of the job manager; exit as it did (128 + n for signal n), "
                    "or 1 if its output isn't all here");
  command
      ->add_option("--submission", options->submission,
                   "Its name, if it may be a repetition: of one name a job manager takes one job (default: a new name)")
      ->check(fault_of_submission)
      ->type_name("ID");
  command
      ->add_option("--look", options->look_seconds,
                   "Without --wait: how long to look whether the job is refused at once (default 0.05)")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("SECONDS");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Without --wait the job's name is printed; the job manager runs it, and outlives this command.\n"
      "A job that is refused at once is exit code 1. Where no answer comes, the message has the --submission\n"
      "with which the same command may be repeated: the job is submitted once, whatever was lost.\n"
      "\n"
      "A job that is held, has a begin time or depends on other jobs of the same user is taken at once and "
      "waits.\n"
      "When one of these jobs ends so that it can never run, it is cancelled.\n"
      "\n"
      "Examples:\n"
      "  dmm submit --site alpha -n 4 --wait --output-file out.txt -- hostname\n"
      "  dmm submit --site alpha --components 8,8 -- sleep 60\n"
      "  dmm submit --testbed two-sites --site alpha --user u0 job.json\n"
      "  dmm submit --site alpha --begin 18:30 --dependency afterok:12:13,afterany:14 -- make report\n"
      "  dmm submit --jobmgr tcp://head.example.org:7710 -- make test\n"
      "  DMM_JOBMGR=ipc://$HOME/.dmm/jobmgr.ipc dmm submit --submission night-17 -- make test\n");
  command->callback([command, options, &exit_code] {
    for (const CLI::Option* option : command->get_options())
      if (option->get_group() == "The job" && option->count() > 0)
        options->job_options.push_back(option->get_name());
    exit_code = run(*options);
  });
  return command;
}

}  // namespace dmm
