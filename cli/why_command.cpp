// `dmm why JOB`: why a job waits, in the words of its site and of every site that was asked.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/figures.hpp"
#include "cli/questions.hpp"
#include "cli/wait_reasons.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

struct WhyOptions {
  std::string job;
  ManagerOptions manager;
  std::string sitemgr;
  bool json = false;
};

/// The site manager of the job manager's site: in its testbed, or where the user says.
std::variant<Manager, CommandFault> site_of(const WhyOptions& options, const Manager& job_manager) {
  ManagerOptions wanted;
  wanted.testbed = options.manager.testbed;
  wanted.site = wanted.as_site = job_manager.party.site.text;
  if (!options.manager.endpoint.empty() && options.sitemgr.empty())
    return CommandFault{"--jobmgr needs --sitemgr too: the site knows why a request waits", 2};
  wanted.endpoint = options.sitemgr;
  auto chosen = choose_managers(wanted, Role::site_manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return std::move(*fault);
  return std::move(std::get<std::vector<Manager>>(chosen).front());
}

/// What is to be said of a job that doesn't wait.
std::string state_sentence(const JobRecord& job) {
  if (job.state == "starting" || job.state == "running" || job.state == "ending" || job.state == "collecting")
    return "It doesn't wait: it is " + job.state + " on nodes of " + harmless(job.owner) + ".";
  return "It doesn't wait: it is over, and " + job.state +
         (job.text.empty() ? "." : ": " + harmless(job.text) + ".");
}

int tell(const WhyOptions& options, const Json& job, const Answered* why) {
  const JobRecord record = job_from_json(job);
  if (options.json) {
    print_json({{"job", job}, {"why", why ? why->json : Json(nullptr)}});
    return 0;
  }
  std::printf("%s is %s\n", harmless(record.request).c_str(), record.state.c_str());
  if (why == nullptr)
    std::printf("%s\n", state_sentence(record).c_str());
  else if (!why->json.value("waits", false))
    std::printf(
        "Its site doesn't hold the request just now: it is being granted, or the site has just restarted.\n");
  else
    print_lines(wait_sentences(why->json));
  return 0;
}

int run(const WhyOptions& options) {
  auto parsed = parse_job(options.job);
  if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail("why", *fault);
  const JobName& name = std::get<JobName>(parsed);
  auto chosen = manager_of(name, options.manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("why", *fault);
  const Manager& manager = std::get<Manager>(chosen);
  const Answered job = ask_one(manager, "job", {{"job", name.job}});
  if (!job.fault.empty()) return fail("why", {job.fault, 1});
  if (job.json.value("state", "") != "waiting") return tell(options, job.json, nullptr);
  auto site = site_of(options, manager);
  if (auto* fault = std::get_if<CommandFault>(&site)) return fail("why", *fault);
  const Answered why = ask_one(std::get<Manager>(site), "why", {{"request", job.json.value("request", "")}});
  if (!why.fault.empty()) return fail("why", {why.fault, 1});
  return tell(options, job.json, &why);
}

}  // namespace

CLI::App* add_why_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("why", "Say why a job waits, and what everybody answered who was asked");
  auto options = std::make_shared<WhyOptions>();
  command->add_option("job", options->job, "Its number, or as in das-0/alice/17")->required()->type_name("JOB");
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_option("--sitemgr", options->sitemgr, "With --jobmgr: where its site manager listens")
      ->type_name("ENDPOINT");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "Examples:\n"
      "  dmm why das-0/alice/17\n"
      "  dmm why 17 --site das-0 --user alice --json\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
