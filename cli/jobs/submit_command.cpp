// `dmm submit`: submits jobs from a command line or a file to a job manager. If wanted it waits for their ends, and its
// exit code is then the worst of theirs. Restarts and pauses of the job manager only make it wait longer; the job
// doesn't depend on them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/job_output.hpp"
#include "cli/jobs/job_sentences.hpp"
#include "cli/jobs/patient_client.hpp"
#include "cli/jobs/submit_plan.hpp"
#include "cli/jobs/submit_report.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

/// How long to wait until a job manager that was reached says that it took the job.
constexpr Duration submit_patience = seconds(60);

/// The exit code as a shell has it: the job's own status, 128 + n for signal n, 1 if the program isn't the cause.
int exit_code_of(const ToldJob& job) {
  if (job.state == "finished") return 0;
  if (job.exit_kind == "exited" && job.exit_code != 0) return job.exit_code;
  if (job.exit_kind == "signalled") return 128 + job.exit_code;
  return 1;
}

/// Where the job's output is, and whether it is complete. Nothing for a job without output.
JobOutput output_of(const ToldJob& job, const Manager& manager) {
  if (!job.keep_output || job.exit_kind.empty() || job.is_array()) return {};
  JobOutput output = ask_output(manager, job.number);
  for (JobOutputFile* file : {&output.output, &output.error})
    if (!file->began) file->path.clear();
  return output;
}

/// Tells the job's end, as text or as another row. Returns the job's exit code.
int tell_end(const SubmitOptions& options, const Json& json, const Manager& manager, Json& rows) {
  const ToldJob job = job_from_json(json);
  const JobOutput output = output_of(job, manager);
  int code = exit_code_of(job);
  if (code == 0 && output.is_short()) code = 1;
  if (options.json) {
    Json result = json;
    result["output_path"] = output.output.path;
    result["error_path"] = output.error.path;
    result["exit_code"] = code;
    rows.push_back(std::move(result));
    return code;
  }
  std::printf("%s %s", harmless(job.title()).c_str(), job.state.c_str());
  if (job.exit_kind == "exited") std::printf(", exit status %d", job.exit_code);
  if (job.exit_kind == "signalled") std::printf(", signal %d", job.exit_code);
  if (!job.places.empty()) std::printf(", on %s", owners_text(job).c_str());
  std::printf("%s\n", job.text.empty() ? "" : (": " + harmless(job.text)).c_str());
  if (!output.output.path.empty()) std::printf("output: %s\n", harmless(output.output.path).c_str());
  if (!output.error.path.empty() && output.error.path != output.output.path)
    std::printf("errors: %s\n", harmless(output.error.path).c_str());
  std::fflush(stdout);
  if (job.state == "failed" && !output.error.path.empty())
    std::fprintf(stderr, "%s", last_lines(output.error.path).c_str());
  if (output.is_short()) fail("submit", {output_complaint(output, job.request), code});
  return code;
}

/// A name that no other submission has, even if several machines share a job manager.
std::string new_submission() {
  std::array<char, 64> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string name = std::string(host.data()).substr(0, 20) + '-' + std::to_string(::getpid()) + '-' +
                     std::to_string(wall_microseconds());
  for (char& letter : name)
    if (!is_submission_letter(letter)) letter = '-';
  return name;
}

std::string job_name(const Manager& manager, std::uint64_t number) {
  return manager.party.site.text + "/" + manager.party.name + "/" + std::to_string(number);
}

/// A submission without an answer may have been taken all the same. The message says how to repeat it safely.
int fail_unanswered(const SubmitOptions& options, PatientClient& client, const Reply& reply) {
  std::string text = reply.fault;
  const bool may_be_taken = client.reached() && reply.why != Unanswered::no && reply.why != Unanswered::too_long;
  if (may_be_taken)
    text +=
        "\n"
        "The job may have been accepted nevertheless. To submit it only once, repeat the command with "
        "--submission " +
        options.submission;
  fail("submit", {text, 1});
  return client.interrupted() ? client.interrupts().exit_code() : 1;
}

/// A job that the command waits for.
struct WaitedJob {
  Json json;     ///< as its job manager describes it; null: it hasn't ended
  int code = 0;  ///< if `json` is null: the command's exit code
};

WaitedJob wait_for_end(PatientClient& client, std::uint64_t number) {
  for (Duration pause = milliseconds(20);; pause = std::min(pause * 2, milliseconds(500))) {
    const Reply reply = client.wait(client.ask("job", Json{{"job", number}}.dump()));
    if (client.interrupted()) break;
    if (!reply.fault.empty()) return {{}, fail("submit", {reply.fault, 1})};
    Json json = Json::parse(reply.text, nullptr, false);
    if (!json.is_object())
      return {{}, fail("submit", {"the job manager gave an answer that isn't a JSON object", 1})};
    if (job_from_json(json).over()) return {std::move(json), 0};
    client.pause(pause);
    if (client.interrupted()) break;
  }
  std::fprintf(stderr, "dmm submit: no longer waiting; the job goes on (`dmm cancel %s` ends it)\n",
               job_name(client.manager(), number).c_str());
  return {{}, client.interrupts().exit_code()};
}

/// The job, if its site refuses it at once. A refusal comes within milliseconds, or much later, or never, so it is
/// awaited only until `end`.
std::optional<ToldJob> refused_at_once(PatientClient& client, std::uint64_t number, Instant end) {
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

int tell_submitted(const SubmitOptions& options, PatientClient& client, const Submitted& submitted) {
  const Manager& manager = client.manager();
  const Instant end = monotonic_now() + from_seconds(options.look_seconds);
  int code = 0;
  Json rows = Json::array();
  for (std::uint64_t number = submitted.first_job; number < submitted.first_job + submitted.jobs; ++number) {
    const auto refused = refused_at_once(client, number, end);
    const std::string name = job_name(manager, number);
    rows.push_back({{"request", name},
                    {"job", number},
                    {"site", manager.party.site.text},
                    {"user", manager.party.name},
                    {"submission", options.submission},
                    {"refused", refused ? refused->text : std::string()}});
    if (!options.json) std::printf("%s\n", name.c_str());
    if (!refused) continue;
    const std::string state = refused->state == "cancelled" ? "cancelled: " : "";
    code = fail("submit", {name + " was " + state + harmless(refused->text), 1});
  }
  if (options.json) print_json(submitted.jobs == 1 ? rows[0] : Json{{"jobs", rows}});
  return code;
}

/// Tells the end of each of the jobs, which have consecutive numbers. Returns the greatest of their exit codes.
int wait_for_ends(const SubmitOptions& options, PatientClient& client, const Submitted& submitted) {
  int worst = 0;
  Json rows = Json::array();
  for (std::uint64_t number = submitted.first_job; number < submitted.first_job + submitted.jobs; ++number) {
    const WaitedJob waited = wait_for_end(client, number);
    if (waited.json.is_null()) return waited.code;
    worst = std::max(worst, tell_end(options, waited.json, client.manager(), rows));
  }
  if (options.json) print_json(submitted.jobs == 1 ? rows[0] : Json{{"jobs", rows}});
  return worst;
}

int submit(SubmitPlan plan) {
  SubmitOptions& options = plan.options;
  auto chosen = choose_manager(options.manager, Role::job_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("submit", *fault);
  if (const std::string fault = fault_of_names(plan.named, std::get<Manager>(chosen).party); !fault.empty())
    return fail("submit", {fault, 2});
  if (options.submission.empty()) options.submission = new_submission();
  PatientClient client("submit", std::get<Manager>(chosen), options.submission);
  if (!client.fault().empty()) return fail("submit", {client.fault(), 2});
  const auto jobs = static_cast<std::uint32_t>(plan.jobs.size());
  Reply reply = client.wait(client.submit(std::move(plan.jobs)), submit_patience);
  if (!reply.fault.empty()) return fail_unanswered(options, client, reply);
  reply.submitted.jobs = jobs;  // all of them were taken
  return options.wait ? wait_for_ends(options, client, reply.submitted)
                      : tell_submitted(options, client, reply.submitted);
}

int run(const CLI::App& command, const SubmitOptions& options) {
  auto planned = plan_submission(command, options);
  if (auto* fault = std::get_if<JobFault>(&planned)) return fail("submit", {fault->text, 2});
  auto& plan = std::get<SubmitPlan>(planned);
  for (const std::string& warning : plan.warnings) std::fprintf(stderr, "dmm submit: %s\n", warning.c_str());
  if (!plan.options.check) return submit(std::move(plan));
  if (plan.options.json)
    print_json(jobs_as_json(plan.jobs));
  else
    std::printf("%s", jobs_as_text(plan.jobs, style_of(STDOUT_FILENO)).c_str());
  return 0;
}

}  // namespace

CLI::App* add_submit_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("submit", "Submit jobs: a script, a command line, or a file of jobs");
  auto options = std::make_shared<SubmitOptions>();
  add_submit_options(*command, *options);
  command->footer(
      "Without --wait the job's name is printed; the job manager runs it, and outlives this command.\n"
      "If the job is refused at once, the exit code is 1. If no answer comes, the message has the --submission\n"
      "with which the same command may be repeated: the job is submitted once, whatever was lost.\n"
      "\n"
      "A script here, named before any --, travels to where the job runs; the words after it are its arguments. "
      "Lines\n"
      "#DMM and #SBATCH before its first command have options; the command line has precedence.\n"
      "Standard input travels if it is a file that nothing was read from, as after `<`; a pipe with --input -.\n"
      "A job that is held, has a begin time or depends on other jobs of the same user is accepted at once and "
      "waits.\n"
      "It is cancelled when a job that it depends on ends so that it can never run.\n"
      "A file that ends in .json has one or more jobs, a file that ends in .rsl a request in the language of "
      "Globus.\n"
      "\n"
      "Examples:\n"
      "  dmm submit --site alpha -n 4 --wait --output-file out.txt -- hostname\n"
      "  dmm submit --site alpha -n 2 job.sh first second\n"
      "  dmm submit --site alpha --components 8,8 -- sleep 60\n"
      "  dmm submit --site alpha --output-file sorted.txt -- sort < list.txt\n"
      "  dmm submit --check jobs.json\n"
      "  dmm submit --site alpha --begin 18:30 --dependency afterok:12:13,afterany:14 -- make report\n"
      "  dmm submit --testbed two-sites --site alpha --user u0 job.json\n"
      "  dmm submit --jobmgr tcp://head.example.org:7710#KEY -- make test\n"
      "  DMM_JOBMGR=ipc://$HOME/.dmm/jobmgr.ipc dmm submit --submission night-17 -- make test\n");
  command->callback([command, options, &exit_code] { exit_code = run(*command, *options); });
  return command;
}

}  // namespace dmm
