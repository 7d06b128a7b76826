// Plays a random run; fault_acts.cpp carries out its acts.
#include "simulator/faults/fault_run.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/checkers/timeline.hpp"

namespace dmm {
namespace {

/// While jobs are open, one must end within this time; after the last one all nodes must be home within it. Pauses
/// between rounds are at most 75 s, and confirmations are quick. Nodes may be set aside five times, longer each time.
constexpr Duration quiet_limit = seconds(20'000), quiet_limit_of_long_jobs = seconds(60'000);
/// Jobs that spoil nodes, one after the other, can have these set aside for a day at a time.
constexpr Duration quiet_limit_of_co_allocated_jobs = seconds(4 * 86'400);
/// If nothing has run anywhere for this time, and for some rounds' latencies more, waiting jobs are out of reach of
/// all sites. Rounds come every 75 s.
constexpr Duration hopeless_after = seconds(200);
/// Longer if all jobs need several sites and contend for them, since many tries fail.
constexpr Duration hopeless_in_contention = seconds(1'000);
constexpr Duration between_quiet_looks = seconds(5);

}  // namespace

FaultRun::FaultRun(std::uint64_t seed, RandomOptions options, Level level)
    : run_(draw(seed, options)),
      outcomes_(run_.trouble),
      interruption_watch_(run_),
      idle_watch_([this](const Party& user,
                         const JobDescription& job) { return reach_.sites_that_could_serve(*world_, user, job); },
                  [this](const Party& user, std::uint64_t number) -> const JobDescription* {
                    const JobDescription* asked = outcomes_.find({user, number});
                    return asked && WithinReach::is_watched(*world_, user, asked->need) ? asked : nullptr;
                  },
                  run_.settings.network.latency + run_.settings.network.jitter),
      shares_watch_(
          [this](const World&, std::size_t owner, std::size_t borrower) { return wants_share(owner, borrower); }) {
  run_.settings.level = level;
  run_.settings.remember_ends = true;
  world_ = std::make_unique<World>(run_.topology, run_.settings);
  world_->network().set_chances(run_.loss, run_.doubling);
  world_->network().set_stalls(run_.stall, run_.stall_max);
  has_chances_ = run_.loss > 0 || run_.stall > 0;
}

std::string FaultRun::play() {
  for (const Act& act : run_.acts) {
    if (!advance(act.at)) return fault_;
    perform(act);
  }
  if (!advance(run_.trouble_ends)) return fault_;
  mend();
  const bool is_long = run_.trouble == Trouble::life || run_.trouble == Trouble::crowd;
  const Duration rest = run_.co_allocated ? quiet_limit_of_co_allocated_jobs
                        : is_long         ? quiet_limit_of_long_jobs
                                          : quiet_limit;
  const Duration limit = from_seconds(rest.in_seconds() * run_.stretch);
  rest_watch_.begin(world_->now());
  for (Instant look = world_->now(); !world_->quiet() && look <= rest_watch_.ended() + limit;
       look = look + between_quiet_looks) {
    while (!world_->quiet() && world_->next_instant() <= look)
      if (!step()) return fault_;
    if (world_->quiet()) break;
    world_->run_until(look);
    if (!look_around()) return fault_;
  }
  fault_ = checkers_.check_all(*world_);
  if (fault_.empty()) fault_ = checkers_.check_rest(*world_);
  if (fault_.empty()) fault_ = outcomes_.check(*world_);
  if (fault_.empty()) fault_ = late_fault_;
  return fault_;
}

/// Looks at fixed times, which don't depend on other events.
bool FaultRun::look_around() {
  world_->end_drains();  // a site that waited for its disk missed the first order
  if (run_.trouble == Trouble::none) fault_ = rest_watch_.check_homecoming(*world_);
  rest_watch_.look(*world_);
  const Duration after = run_.co_allocated ? hopeless_in_contention : hopeless_after;
  if (world_->now() - rest_watch_.ran() >=
      after + run_.settings.network.latency * (3 * IdleWatch::ways_of_a_search)) {
    cancel_hopeless();
    rest_watch_.go_on(world_->now());
  }
  return fault_.empty();
}

void FaultRun::play_unchecked() {
  for (const Act& act : run_.acts) {
    world_->run_until(act.at);
    perform(act);
  }
  world_->run_until(run_.trouble_ends);
  checkers_.check_all(*world_);
}

bool FaultRun::advance(Instant until) {
  for (;;) {
    const Instant back = commit_crashes_.next_back();
    if (std::min(back, world_->next_instant()) > until) break;
    if (back >= world_->next_instant()) {
      if (!step()) return false;
      continue;
    }
    world_->run_until(back);
    bring_back();
  }
  world_->run_until(until);
  return true;
}

bool FaultRun::step() {
  world_->step();
  tell();
  fault_ = checkers_.check(*world_);
  if (fault_.empty()) fault_ = late_fault_;
  if (const std::string fault = hold_watch_.look(*world_); fault_.empty()) fault_ = fault;
  if (++steps_ % 4096 == 0 && stop_ && stop_()) fault_ = "interrupted";
  if (run_.trouble == Trouble::none && fault_.empty()) fault_ = rest_watch_.check_homecoming(*world_);
  const bool is_whole = run_.trouble == Trouble::none || world_->now() > run_.trouble_ends;
  if (is_whole && fault_.empty()) fault_ = idle_watch_.look(*world_);
  if (!has_chances_ && fault_.empty()) fault_ = shares_watch_.look(*world_);
  crash_the_doomed();
  return fault_.empty();
}

void FaultRun::crash_the_doomed() {
  if (!commit_crashes_.has_doomed()) return;
  for (const Party& party : commit_crashes_.crash(*world_))
    note(stamp(world_->now()) + " ** crashed in its commit " + short_name(party));
  tell();
}

void FaultRun::bring_back() {
  commit_crashes_.bring_back(*world_);
  tell();
}

void FaultRun::tell() {
  auto happenings = world_->take_happenings();
  checkers_.note(happenings);
  hold_watch_.note(happenings);
  sometimes_.note(happenings);
  for (Happening& happening : happenings) {
    note(happening);
    story_.add(std::move(happening));
  }
}

void FaultRun::note(const Happening& happening) {
  if (std::string fault = interruption_watch_.note(*world_, happening, has_chances_); !fault.empty())
    late_fault_ = fault;
  if (happening.party.role != Role::site_manager || happening.event.name != "refuse") return;
  outcomes_.refused(happening.event.trace);
  check_refusal(happening);
}

/// Heals all faults.
void FaultRun::mend() {
  commit_crashes_.clear();
  world_->network().heal_all();
  world_->network().set_chances(0, 0);
  world_->network().set_stalls(0, {});
  for (const Party& party : world_->parties()) {
    if (!world_->is_up(party)) world_->restart(party);
    world_->slow_disk(party, {});
    world_->resume(party);
    if (party.role == Role::resource_manager) world_->report_late(party, {});
  }
  world_->mend_keys();
  idle_watch_.excuse(world_->now() + seconds(60));
  world_->end_drains();
  for (const TopologySite& site : run_.topology.sites)
    if (!site.clusters.empty()) configure_sizes(site.name);
  tell();
}

// ---- requests that wait ------------------------------------------------------------------------------------------

/// Whether a job waits at the borrower that its neighbour could serve twice at once.
bool FaultRun::wants_share(std::size_t owner, std::size_t borrower) const {
  const auto& sites = world_->topology().sites;
  const Driver<SiteManager>* lender = world_->site(sites[owner].name);
  if (!lender || !lender->manager.view(world_->now()).drained.empty()) return false;
  for (const std::string& name : sites[borrower].users) {
    const Party user = job_manager_of(sites[borrower].name, name);
    if (!world_->is_up(user)) continue;
    const auto waiting = world_->job_manager(user)->manager.jobs({.state = JobState::waiting, .limit = 1});
    const JobDescription* asked = waiting.empty() ? nullptr : outcomes_.find({user, waiting.front().number});
    if (!asked || !WithinReach::is_watched(*world_, user, asked->need)) continue;
    JobDescription twice = *asked;
    for (Component& component : twice.need.components) component.processors *= 2;
    const auto capable = reach_.sites_that_could_serve(*world_, user, twice);
    if (std::ranges::find(capable, owner) != capable.end()) return true;
  }
  return false;
}

/// Checks a site's answer to a user that no site will ever serve a request.
void FaultRun::check_refusal(const Happening& refused) {
  const RequestId& request = refused.event.trace;
  const Party user = job_manager_of(request.site, request.user);
  const JobDescription* asked = outcomes_.find({user, request.job});
  if (!asked) return;  // the user never heard that it was accepted
  if (const auto capable = reach_.sites_that_could_serve(*world_, user, *asked); !capable.empty())
    late_fault_ = to_text(request) + " was refused though " + world_->topology().sites[capable.front()].name.text +
                  " could serve " + text_of_demand(*asked);
}

std::string FaultRun::check_served() const {
  for (const auto& [job, description] : outcomes_.jobs()) {
    if (!world_->is_up(job.first)) continue;
    const auto view = world_->job_manager(job.first)->manager.job(job.second);
    if (!view || !outcomes_.is_given_up(view->request)) continue;
    const auto capable = reach_.sites_that_could_serve(*world_, job.first, description);
    if (WithinReach::searches_all(*world_, job.first) && !capable.empty())
      return to_text(view->request) + " waits for ever though " +
             world_->topology().sites[capable.front()].name.text + " could serve " + text_of_demand(description);
    if (reach_.could_hold_together(*world_, job.first, description))
      return to_text(view->request) +
             " waits for ever though sites within reach could serve it together: " + text_of_demand(description);
  }
  return {};
}

/// Cancels requests that may be out of reach of all sites: their own site can never serve them, so they would wait
/// for ever. Includes those with a user that never heard of the acceptance.
void FaultRun::cancel_hopeless() {
  for (const Party& party : world_->parties()) {
    if (party.role != Role::job_manager || !world_->is_up(party)) continue;
    for (std::uint64_t number = 1; number < world_->job_manager(party)->manager.next_job(); ++number) {
      const auto view = world_->job_manager(party)->manager.job(number);
      if (!view || view->state != JobState::waiting) continue;
      const LocalRequest* request = world_->site(party.site)->manager.queue().find(view->request);
      if (!request || request->kind->servable) continue;
      note(stamp(world_->now()) + " ** nothing serves " + to_text(view->request) + ": " +
           IdleWatch::why(*world_, view->request));
      outcomes_.give_up(view->request);
      world_->cancel(party, number);
    }
  }
  tell();
}

}  // namespace dmm
