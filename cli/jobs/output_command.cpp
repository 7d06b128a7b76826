// `dmm output JOB`: prints what a job wrote, while it runs or afterwards, from where its job manager has put it. Can
// also have output fetched again that could not be written.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/job_output.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/interrupts.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {
namespace {

constexpr Duration look_again = milliseconds(200);

struct OutputOptions {
  std::string job;
  ManagerOptions manager;
  std::uint32_t component = 0;
  bool error = false, follow = false, fetch = false, json = false;
};

/// Asks the job manager repeatedly over one connection.
class Asker {
 public:
  Asker(const Manager& manager, Json argument) : argument_(std::move(argument)) {
    if (auto connected = pool_.connect(manager.party, manager.endpoint); connected.index() == 1)
      fault_ = std::get<std::string>(std::move(connected));
  }
  /// The answer, or why there is none. A manager that restarts is asked again.
  Answered ask(const std::string& verb) {
    Answered answered;
    answered.fault = fault_;
    for (int tries = 0; tries < 2 && fault_.empty(); ++tries) {
      Reply reply = pool_.wait(pool_.ask(0, verb, argument_.dump()), seconds(10));
      answered.fault = std::move(reply.fault);
      if (!answered.fault.empty()) continue;
      answered.json = Json::parse(reply.text, nullptr, false);
      if (!answered.json.is_object()) answered.fault = "the job manager gave an answer that isn't a JSON object";
      break;
    }
    return answered;
  }
  void pause() { pool_.poll(look_again); }

 private:
  ClientPool pool_;
  Json argument_;
  std::string fault_;
};

/// Copies new content of a file to standard output.
class Copier {
 public:
  /// False if standard output can't be written any more.
  bool copy(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return true;
    found_ = true;
    if (file.tellg() < at_) {  // the job was rerun, or its output fetched again
      std::fprintf(stderr, "dmm output: the output begins again\n");
      at_ = 0;
    }
    file.seekg(at_);
    std::string piece(64 * 1024, '\0');
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
      if (std::fwrite(piece.data(), 1, static_cast<std::size_t>(file.gcount()), stdout) !=
          static_cast<std::size_t>(file.gcount()))
        return false;
      at_ += file.gcount();
    }
    return std::fflush(stdout) == 0;
  }
  bool found() const { return found_; }

 private:
  std::streamoff at_ = 0;
  bool found_ = false;
};

int tell_end(const OutputOptions& options, const JobOutput& output, bool found) {
  const JobOutputFile& file = options.error ? output.error : output.output;
  if (output.state == "discarded")
    return fail("output", {options.job + " was submitted with --discard-output: its output isn't kept", 1});
  if (output.is_short()) return fail("output", {output_complaint(output, options.job), 1});
  if (!found && file.began)
    return fail("output", {file.path + " isn't there: it was removed, or the job manager is on another machine" +
                               (options.component > 0 ? ", or the job had no such component" : ""),
                           1});
  if (!found && !output.over) std::fprintf(stderr, "dmm output: nothing yet; --follow waits for more\n");
  return 0;
}

/// Orders the fetch, and waits until no output is awaited any more.
std::string fetch(Asker& asker, Interrupts& interrupts) {
  if (const Answered ordered = asker.ask("fetch_output"); !ordered.fault.empty()) return ordered.fault;
  while (!interrupts.any()) {
    const Answered answered = asker.ask("output");
    if (!answered.fault.empty()) return answered.fault;
    const JobOutput output = output_from_json(answered.json);
    if (output.over && output.state != "pending") return {};
    asker.pause();
  }
  return {};
}

int run(const OutputOptions& options) {
  auto parsed = parse_job(options.job);
  if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail("output", *fault);
  const JobName& name = std::get<JobName>(parsed);
  auto chosen = manager_of(name, options.manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("output", *fault);
  Interrupts interrupts;
  Asker asker(std::get<Manager>(chosen), {{"job", name.argument()}, {"component", options.component}});
  if (options.fetch)
    if (const std::string fault = fetch(asker, interrupts); !fault.empty()) return fail("output", {fault, 1});
  for (Copier copier;; asker.pause()) {
    if (interrupts.any()) return interrupts.exit_code();
    const Answered answered = asker.ask("output");
    if (!answered.fault.empty()) return fail("output", {answered.fault, 1});
    const JobOutput output = output_from_json(answered.json);
    if (options.json) return print_json(answered.json), output.is_short() ? 1 : 0;
    if (!copier.copy((options.error ? output.error : output.output).path))
      return fail("output", {"standard output can't be written any more", 1});
    if (options.follow && (!output.over || output.state == "pending")) continue;
    return tell_end(options, output, copier.found());
  }
}

}  // namespace

CLI::App* add_output_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("output", "Print what a job wrote, also while it runs");
  auto options = std::make_shared<OutputOptions>();
  command->add_option("job", options->job, "Its number, or as in das-0/alice/17")->required()->type_name("JOB");
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_flag("--error", options->error, "Print its standard error instead");
  command->add_flag("--follow", options->follow, "Go on until the job is over and all of its output is here");
  command->add_option("--component", options->component, "The component (default 0)")
      ->check(CLI::Range(0u, 63u))
      ->type_name("N");
  command->add_flag("--fetch", options->fetch,
                    "First fetch output that could not be written, into the job manager's folder");
  command->add_flag("--json", options->json, "Print the place and the size of the output, as a JSON object");
  command->footer(
      "The command reads the files that the job manager writes, so run it on the same machine. Output is brought "
      "back\n"
      "while the job runs; output that could not be brought is kept for an hour where the job ran. Exit code 1 "
      "if\n"
      "some of it isn't here.\n"
      "\n"
      "Examples:\n"
      "  dmm output das-0/alice/17\n"
      "  dmm output 17 --site das-0 --error --follow\n"
      "  dmm output 17 --fetch\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
