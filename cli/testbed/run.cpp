// The order at the end matters. Figures are collected while the managers live. The chain is drawn from the logs after
// they have ended. The run is only reported as successful after nothing is left.
#include "cli/testbed/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/logs/delegation_chain.hpp"
#include "cli/managers/run_folder.hpp"
#include "cli/managers/shipped.hpp"
#include "cli/managers/silence.hpp"
#include "cli/terminal/display.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/output.hpp"
#include "cli/testbed/homecoming.hpp"
#include "cli/testbed/monitor.hpp"
#include "cli/testbed/run_results.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "workloads/statistics.hpp"

namespace dmm {
namespace {

namespace fs = std::filesystem;

constexpr Duration home_limit = seconds(10);
constexpr Duration turn_max = milliseconds(50);
constexpr Duration health_pause = seconds(1);
/// After a daemon has died, its jobs are rerun four lease terms later. If nothing has happened for a while after that,
/// nothing will.
constexpr double rerun_seconds = 150;
/// A daemon that ended counts as dead unless it is restarted within this time.
constexpr Duration restart_limit = seconds(5);

/// A run after its input was read.
class Run {
 public:
  Run(const RunOptions& options, const Topology& topology, const Workload& workload, const WorkloadPlan& plan)
      : options_(options), topology_(topology), workload_(workload), plan_(plan) {}

  int go() {
    say("starting " + topology_.name + ": " + count_text(topology_.sites.size(), "site") + ", " +
        count_text(processors_of(topology_), "processor"));
    auto started = bring_up(topology_, options_.testbed, interrupts_);
    if (auto* fault = std::get_if<TestbedFault>(&started)) return fail("run", {fault->text, fault->exit_code});
    testbed_ = std::move(std::get<Testbed>(started));
    output_ = options_.output.empty() ? run_folder(testbed_.name) : fs::absolute(options_.output).string();
    begin_report();
    feed_and_watch();
    if (report_.interrupted) say("interrupted: stopping everything in order");
    collect();
    stop();
    for (const std::string& request : far_)
      if (draw_chain_of(request)) break;
    return tell();
  }

 private:
  static void say(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

  void begin_report() {
    report_.topology = topology_.name;
    report_.workload = options_.workload.path;
    report_.speedup = options_.testbed.speedup;
    report_.run_cap_seconds = options_.workload.run_cap_seconds;
    report_.capped = workload_.capped;
    report_.jobs_in_workload = plan_.jobs.size();
    report_.sites = topology_.sites.size();
    report_.processors = processors_of(topology_);
    std::error_code error;
    fs::remove_all(fs::path(output_) / "logs", error);  // of the previous run
    fs::create_directories(output_, error);
    if (error) report_.trouble.push_back("cannot make " + output_ + ": " + error.message());
  }

  // ---- while it runs ----

  void feed_and_watch() {
    ClientPool pool;
    Monitor monitor(pool, testbed_, topology_);
    std::vector<std::size_t> numbers;
    for (const Party& manager : plan_.managers) numbers.push_back(monitor.number_of(manager));
    feeder_.emplace(pool, plan_, std::move(numbers), options_.dttl);
    Display display(STDERR_FILENO);
    SilenceTeller teller("run", "the run goes on");
    const Instant begin = monotonic_now();
    began_ = static_cast<double>(wall_microseconds()) / 1e6;
    feeder_->start(begin);
    for (Instant now = begin; goes_on(monitor, now); now = monotonic_now()) {
      feeder_->submit_due(now);
      monitor.ask_due(now);
      for (const Reply& reply : pool.poll(std::clamp(feeder_->next_due() - now, milliseconds(1), turn_max)))
        if (!feeder_->take(reply)) monitor.take(reply, monotonic_now());
      for (const std::string& line : teller.news(pool, now)) display.close(), say(line);
      const bool worth_showing = monitor.heard_all() || now - begin > seconds(1);
      if (worth_showing && display.due(now)) display.show(progress(monitor, now - begin, now), now);
    }
    await_answers(pool);
    report_.elapsed_seconds = (monotonic_now() - begin).in_seconds();
    const Instant now = monotonic_now();
    display.show(progress(monitor, now - begin, now), now);
    for (const std::string& fault : feeder_->faults()) report_.trouble.push_back(fault);
  }

  RunProgress progress(const Monitor& monitor, Duration elapsed, Instant now) const {
    RunProgress shown;
    shown.title = topology_.name + ", " + decimal(report_.speedup, report_.speedup < 10 ? 1 : 0) + " times faster";
    shown.phase = feeder_->next_due() == never ? "all submitted" : "submitting";
    if (interrupts_.count() > 0) shown.phase = "interrupted";
    shown.elapsed_seconds = elapsed.in_seconds();
    shown.jobs = plan_.jobs.size();
    shown.submitted = feeder_->submitted();
    monitor.fill(shown, now);
    return shown;
  }

  bool goes_on(const Monitor& monitor, Instant now) {
    if (interrupts_.any()) return report_.interrupted = true, false;
    if (feeder_->done() && monitor.ended() >= feeder_->accepted()) return false;
    if (now >= next_health_ && !healthy()) return false;
    const std::uint64_t activity = monitor.activity() + feeder_->submitted();
    if (activity != activity_) activity_ = activity, active_ = now;
    const double limit =
        dead_.empty() ? options_.timeout_seconds : std::min(options_.timeout_seconds, rerun_seconds);
    const Duration patience = from_seconds(limit + plan_.longest_run_seconds);
    if (active_ == Instant{} || now - active_ < patience || feeder_->next_due() != never) return true;
    report_.timed_out = true;
    return false;
  }

  /// Reports each daemon that died and wasn't restarted. Returns false if a job manager is dead: its jobs would be
  /// waited for in vain.
  bool healthy(Duration patience = restart_limit) {
    const Instant now = monotonic_now();
    next_health_ = now + health_pause;
    bool all_job_managers = true;
    for (std::size_t i = 0; i < testbed_.daemons.size(); ++i) {
      TestbedDaemon& daemon = testbed_.daemons[i];
      if (is_alive(daemon.process) || is_restarted(i)) {
        missing_.erase(i);
        continue;
      }
      if (now - missing_.emplace(i, now).first->second < patience) continue;
      if (daemon.party.role == Role::job_manager) all_job_managers = false;
      if (!dead_.insert(i).second) continue;
      const std::string words = last_words(daemon);
      report_.trouble.push_back(to_text(daemon.party) + " died" + (words.empty() ? "" : ":\n" + words));
    }
    return all_job_managers;
  }

  /// Whether the daemon was restarted (`dmm testbed restart`): the new process then replaces the old one.
  bool is_restarted(std::size_t daemon) {
    const auto loaded = load_testbed(testbed_.name);
    const auto* known = std::get_if<Testbed>(&loaded);
    if (!known || known->daemons.size() != testbed_.daemons.size()) return false;
    if (!is_alive(known->daemons[daemon].process)) return false;
    testbed_.daemons[daemon].process = known->daemons[daemon].process;
    return true;
  }

  /// After an interrupt: waits for the numbers of jobs that were just submitted.
  void await_answers(ClientPool& pool) {
    const Instant end = monotonic_now() + seconds(2);
    while (!feeder_->all_answered() && monotonic_now() < end)
      for (const Reply& reply : pool.poll(turn_max)) feeder_->take(reply);
  }

  // ---- at its end ----

  void collect() {
    healthy({});
    if (!report_.interrupted && dead_.empty()) {
      Homecoming home = wait_until_home(testbed_, report_.timed_out ? Duration{} : home_limit, interrupts_);
      report_.nodes_not_home = home.nodes_away;
      report_.not_home = std::move(home.reasons);
    }
    Harvest brought = harvest({.testbed = testbed_,
                               .plan = plan_,
                               .feeder = *feeder_,
                               .began = began_,
                               .speedup = report_.speedup,
                               .jobs_file = output_ + "/jobs.jsonl"});
    report_.figures = summarise(brought.outcomes, report_.processors);
    report_.jobs_rerun = brought.reruns;
    report_.messages = std::move(brought.messages);
    report_.messages_resent = brought.messages_resent;
    report_.overhead_median_seconds = median_overhead(brought.outcomes);
    report_.grant_median_seconds = median(std::move(brought.grant_seconds));
    for (const ToldJob& job : brought.farthest) far_.push_back(job.request);
    for (std::string& fault : brought.faults) report_.trouble.push_back(std::move(fault));
    if (brought.last_end > began_) report_.elapsed_seconds = brought.last_end - began_;
  }

  static double median_overhead(const std::vector<JobOutcome>& outcomes) {
    std::vector<double> overheads;
    for (const JobOutcome& job : outcomes)
      if (job.state == JobOutcome::State::finished) overheads.push_back(job.overhead_seconds);
    return median(std::move(overheads));
  }

  void stop() {
    report_.logs = output_;
    if (options_.keep) {
      report_.logs = testbed_.folder;
      return;
    }
    const Removal removal = remove_testbed(testbed_, {.logs_to = output_ + "/logs"});
    report_.processes_ended = removal.daemons.ended + removal.daemons.killed;
    report_.processes_killed = removal.daemons.killed + removal.strays;
    report_.left_behind = left_behind(testbed_);
    report_.stopped = true;
    if (!removal.fault.empty()) report_.trouble.push_back(removal.fault);
    if (removal.daemons.killed > 0)
      report_.trouble.push_back(count_text(removal.daemons.killed, "process") + " had to be killed");
    if (removal.strays > 0)
      report_.trouble.push_back(count_text(removal.strays, "process") +
                                " of ended managers were left and had to be killed");
    for (const std::string& line : report_.left_behind) report_.trouble.push_back("left behind: " + line);
  }

  /// Draws the chain of a request if its own search brought its nodes. The first such request of those that went far is
  /// drawn.
  bool draw_chain_of(const std::string& request) {
    const auto id = parse_request_id(request);
    if (!id) return false;
    const auto records = find_records(report_.logs, *id);
    const auto* found = std::get_if<std::vector<LogRecord>>(&records);
    if (found == nullptr) return false;
    Style style = options_.json ? Style{.colour = false, .unicode = true} : style_of(STDOUT_FILENO);
    style.columns -= std::min(style.columns, chain_indent);
    for (const DelegationChain& chain : rebuild_chains(*found)) {
      if (chain.request != request) continue;
      const bool is_granted = chain.granted() && chain.taken_over_from.empty();
      if (!is_granted && !report_.chain_request.empty()) return false;
      report_.chain_request = request;
      report_.chain_lines = draw_chain(chain, style);
      return is_granted;
    }
    return false;
  }

  int tell() {
    const nlohmann::ordered_json json = to_json(report_);
    std::ofstream(output_ + "/summary.json") << json.dump(2) << '\n';
    if (options_.json) {
      print_json(json);
    } else {
      std::printf("\n");
      print_lines(render_report(report_, style_of(STDOUT_FILENO)));
      if (options_.keep)
        std::printf("The testbed is still up; `dmm testbed down %s` stops it.\n", testbed_.name.c_str());
    }
    if (report_.interrupted) return interrupts_.exit_code();
    return all_well(report_) ? 0 : 1;
  }

  const RunOptions& options_;
  const Topology& topology_;
  const Workload& workload_;
  const WorkloadPlan& plan_;
  mutable Interrupts interrupts_;
  Testbed testbed_;
  std::string output_;
  std::optional<Feeder> feeder_;
  double began_ = 0;
  std::uint64_t activity_ = 0;
  Instant active_{}, next_health_{};
  std::set<std::size_t> dead_;
  std::vector<std::string> far_;            ///< requests, farthest first; one is drawn
  std::map<std::size_t, Instant> missing_;  ///< daemons that ended, and since when
  RunReport report_;
};

/// Makes the folder. Returns why nothing can be written into it; empty if it can.
std::string fault_of_output(const std::string& folder) {
  if (std::string fault = make_directory(folder); !fault.empty()) return fault;
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return "cannot write into " + folder + ": " + std::strerror(errno);
}

}  // namespace

int run_workload(RunOptions options) {
  if (!options.output.empty())
    if (std::string fault = fault_of_output(fs::absolute(options.output).string()); !fault.empty())
      return fail("run", {"--output: " + fault, 1});
  auto topology = load_topology(options.testbed);
  if (auto* fault = std::get_if<TestbedFault>(&topology)) return fail("run", {fault->text, fault->exit_code});
  options.workload.path = shipped(options.workload.path);
  auto loaded = load_workload(options.workload);
  if (auto* error = std::get_if<WorkloadError>(&loaded)) return fail("run", {error->text, 2});
  const auto& workload = std::get<Workload>(loaded);
  auto plan =
      plan_workload(std::get<Topology>(topology), workload, options.testbed.speedup, options.workload.path);
  if (auto* fault = std::get_if<CommandFault>(&plan)) return fail("run", *fault);
  options.testbed.owned = !options.keep;
  options.testbed.count_messages_by_request = true;
  return Run(options, std::get<Topology>(topology), workload, std::get<WorkloadPlan>(plan)).go();
}

}  // namespace dmm
