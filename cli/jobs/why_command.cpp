// `dmm why JOB`: why a job waits, as its site and every asked site say; where it runs; how it ended. If its site
// manager can't be asked, its job manager says what it knows.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/jobs/commands.hpp"
#include "cli/jobs/job_output.hpp"
#include "cli/jobs/job_sentences.hpp"
#include "cli/jobs/job_totals.hpp"
#include "cli/jobs/wait_reasons.hpp"
#include "cli/managers/managers.hpp"
#include "cli/managers/questions.hpp"
#include "cli/managers/registry.hpp"
#include "cli/sites/batch_question.hpp"
#include "cli/sites/batch_report.hpp"
#include "cli/sites/sites_report.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "cli/terminal/output.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

struct WhyOptions {
  std::string job;
  ManagerOptions manager;
  std::string sitemgr, batchmgr;
  bool json = false;
};

/// What the managers said about a job.
struct Findings {
  Json job, why;            ///< the answers of its job manager and of its site; null: not asked, or no answer
  bool site_is_up = false;  ///< as its job manager says
  std::string site_fault;   ///< the site's last fault, as its job manager says; if the site isn't up
  std::string fault;        ///< why the site gave no answer
  KnownSites others;
  Json batch;  ///< the answer of the site's batch manager; null: there is none
};

/// The site manager of the job manager's site: in its testbed, or at the endpoint that the user names.
OrFault<Manager, CommandFault> site_of(const WhyOptions& options, const Manager& job_manager) {
  ManagerOptions wanted;
  wanted.testbed = options.manager.testbed;
  wanted.site = wanted.as_site = job_manager.party.site.text;
  wanted.endpoint = options.sitemgr;
  // A job manager that was named by its endpoint doesn't belong to the testbed that happens to be up.
  const bool is_of_testbed = with_environment(options.manager, Role::job_manager).endpoint.empty();
  if (!is_of_testbed && with_environment(wanted, Role::site_manager).endpoint.empty())
    return CommandFault{
        "name its site manager with --sitemgr or DMM_SITEMGR: only that knows why a request waits"};
  return choose_manager(wanted, Role::site_manager);
}

/// Asks neighbours directly if a hint only says that they have no room, and if they are in the testbed.
KnownSites look_at_neighbours(const WhyOptions& options, const Json& why) {
  ManagerOptions wanted;
  wanted.testbed = options.manager.testbed;
  if (!with_environment(options.manager, Role::job_manager).endpoint.empty()) return {};
  auto chosen = choose_managers(wanted, Role::site_manager);
  const auto* all = std::get_if<std::vector<Manager>>(&chosen);
  std::vector<Manager> asked;
  for (const Json& neighbour : rows_in(why, "neighbours"))
    if (text_in(neighbour, "stage") == "no_room" && all)
      for (const Manager& manager : *all)
        if (manager.party.site.text == text_in(neighbour, "site")) asked.push_back(manager);
  KnownSites known;
  if (asked.empty()) return known;
  for (const Answered& answered : ask_all(asked, "site", Json::object(), seconds(2)))
    if (answered.fault.empty()) known[answered.manager.party.site.text] = answered.json;
  return known;
}

void ask_site(const WhyOptions& options, const Manager& job_manager, Findings& found) {
  auto site = site_of(options, job_manager);
  if (auto* fault = std::get_if<CommandFault>(&site)) {
    found.fault = fault->text;
    return;
  }
  Answered why = ask_one(std::get<Manager>(site), "why", {{"request", found.job.value("request", "")}});
  found.fault = why.fault;
  if (!why.fault.empty()) return;
  found.why = std::move(why.json);
  if (!options.json) found.others = look_at_neighbours(options, found.why);
  Answered batch = ask_batch_manager(options.batchmgr);
  const bool is_of_site = batch.fault.empty() && text_in(batch.json, "site") == job_manager.party.site.text;
  if (is_of_site) found.batch = std::move(batch.json);
}

OutputPlaces places_of(const ToldJob& job, const Manager& manager) {
  const JobOutput output = job.keep_output ? ask_output(manager, job.number) : JobOutput{};
  const auto place_of = [](const JobOutputFile& file) {
    return OutputPlace{file.path, file.began, file.unwritten};
  };
  OutputPlaces places{place_of(output.output), place_of(output.error)};
  if (output.error.path != output.output.path) return places;
  if (output.error.unwritten.value_or(false)) places.output.unwritten = true;
  places.error = {};
  return places;
}

/// Lines for a job that its site has a request of.
std::vector<std::string> waiting_sentences(const Findings& found, const ToldJob& job, double now) {
  if (pauses(job, now)) return pause_sentences(job, now);
  if (found.why.is_null() || !found.site_is_up)
    return unasked_sentences(job, found.site_is_up, found.site_fault, found.fault, now);
  if (flag_in(found.why, "waits")) return wait_sentences(found.why, found.others, waited_seconds(job, now));
  return {"Its site doesn't hold the request just now: it is being granted, or the site has just restarted."};
}

void tell(const Findings& found, const Manager& manager) {
  const ToldJob job = job_from_json(found.job);
  const double now = static_cast<double>(wall_microseconds()) / 1e6;
  std::vector<std::string> lines{harmless(job.title()) + " is " + job.state};
  const auto add = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  const bool waits = job.state == "waiting";
  if (job.is_array()) add(array_sentences(job, now));
  if (job.is_kept_back())
    add(kept_back_sentences(job, now));
  else if (is_unmade(job))
    add(unmade_sentences(job));
  else if (!waits && !job.is_array())
    add(job_sentences(job, places_of(job, manager), now));
  else if (waits && !job.is_array())
    add(waiting_sentences(found, job, now));
  if (!found.batch.is_null()) add(batch_sentences(found.batch));
  if (waits && !job.is_array()) add(earlier_sentences(job, now));
  const std::size_t columns = style_of(STDOUT_FILENO).columns;
  for (const std::string& line : lines) print_lines(folded(line, columns, 4));
}

int run(const WhyOptions& options) {
  auto parsed = parse_job(options.job);
  if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail("why", *fault);
  const JobName& name = std::get<JobName>(parsed);
  auto chosen = manager_of(name, options.manager);
  if (auto* fault = std::get_if<CommandFault>(&chosen)) return fail("why", *fault);
  const Manager& manager = std::get<Manager>(chosen);
  auto answers =
      ask_all({manager}, std::vector<std::string>{"job", "counts", "links"}, {{"job", name.argument()}});
  Answered &job = answers[0][0], &counts = answers[1][0], &links = answers[2][0];
  if (!job.fault.empty()) return fail("why", {job.fault, 1});
  Findings found{.job = std::move(job.json), .why = {}, .site_fault = {}, .fault = {}, .others = {}, .batch = {}};
  found.site_is_up = counts.fault.empty() && flag_in(counts.json, "site_up");
  if (!found.site_is_up && links.fault.empty())
    found.site_fault = text_in(session_with(links.json, manager.party.site.text), "last_error");
  const ToldJob told = job_from_json(found.job);
  if (told.state == "waiting" && !told.is_kept_back() && !told.is_array() && !is_unmade(told))
    ask_site(options, manager, found);
  if (options.json)
    print_json({{"job", found.job},
                {"why", found.why},
                {"batch", found.batch},
                {"site_up", found.site_is_up},
                {"fault", found.fault.empty() ? Json(nullptr) : Json(found.fault)}});
  else
    tell(found, manager);
  return 0;
}

}  // namespace

CLI::App* add_why_command(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("why", "Say why a job waits, where it runs, or how it ended");
  auto options = std::make_shared<WhyOptions>();
  command->add_option("job", options->job, "Its number, or as in das-0/alice/17")->required()->type_name("JOB");
  add_manager_options(*command, options->manager, Role::job_manager);
  command->add_option("--sitemgr", options->sitemgr, "With --jobmgr: where its site manager listens")
      ->type_name("ENDPOINT");
  add_batch_manager_option(*command, options->batchmgr,
                           "The batch manager of its site, if the site is on a batch system");
  command->add_flag("--json", options->json, "Print a JSON object");
  command->footer(
      "For a waiting job: what keeps it from the nodes of its site, which jobs and leases have these nodes and "
      "until\n"
      "when, why each neighbour doesn't serve it, and what would start it. For a running job: where, and for how "
      "long.\n"
      "For a job that is over: exit status or signal, place, duration, and where its output is. Without the site\n"
      "manager, the job manager tells what it knows.\n"
      "\n"
      "Examples:\n"
      "  dmm why das-0/alice/17\n"
      "  dmm why 17 --site das-0 --user alice --json\n"
      "  dmm why das-0/alice/17 --jobmgr ipc:///home/alice/.dmm/jobmgr.ipc --sitemgr tcp://das-0:7700#KEY\n");
  command->callback([options, &exit_code] { exit_code = run(*options); });
  return command;
}

}  // namespace dmm
