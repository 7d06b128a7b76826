// Plays a random run; reach.cpp says which jobs may be refused.
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
/// A job manager runs a job again after four terms, 40 s here. A manager has no excuse for overlaps if it was frozen,
/// and its clock jumped, for less than this in all. The difference to 40 s is for clocks that are 5 % slow, and for
/// programs that hang when they are killed.
constexpr Duration out_of_time_max = seconds(36) - TaskPerformer::hang_takes;
/// From the end of the last job until every node is home.
constexpr Duration nodes_home_max = seconds(7);
/// A term of ten seconds and the longest silence of links that may be relayed, with a clock that is 5 % slow.
constexpr Duration fenced_after = seconds(33);
constexpr std::size_t happenings_kept = 4000, lines_told = 60;

std::string mentioned(const std::string& fault) {
  const std::size_t slash = fault.find('/');
  if (slash == std::string::npos) return {};
  const std::size_t begin = fault.find_last_of(" :", slash) + 1;
  return fault.substr(begin, fault.find_first_of(" :", begin) - begin);
}

}  // namespace

FaultRun::FaultRun(std::uint64_t seed, RandomOptions options, Level level)
    : run_(draw(seed, options)),
      idle_watch_(
          [this](const Party& user, const JobDescription& job) { return sites_that_could_serve(user, job); },
          [this](const Party& user, std::uint64_t number) -> const JobDescription* {
            const auto asked = asked_.find({user, number});
            return asked != asked_.end() && is_watched(user, asked->second.need) ? &asked->second : nullptr;
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
  ran_ = ended_ = world_->now();
  for (Instant look = world_->now(); !world_->quiet() && look <= ended_ + limit;
       look = look + between_quiet_looks) {
    while (!world_->quiet() && world_->next_instant() <= look)
      if (!step()) return fault_;
    if (world_->quiet()) break;
    world_->run_until(look);
    look_around();
  }
  fault_ = checkers_.check_all(*world_);
  if (fault_.empty()) fault_ = checkers_.check_rest(*world_);
  if (fault_.empty()) fault_ = check_outcomes();
  if (fault_.empty()) fault_ = late_fault_;
  return fault_;
}

/// Looks at fixed times, which don't depend on other events.
void FaultRun::look_around() {
  world_->end_drains();  // a site that waited for its disk missed the first order
  if (run_.trouble == Trouble::none) check_homecoming();
  if (anything_to_wait_for()) ran_ = world_->now();
  // Looks miss jobs that run only for a moment, but not that they ended.
  if (const std::size_t open = open_jobs(); open != std::exchange(open_, open)) ran_ = ended_ = world_->now();
  const Duration after = run_.co_allocated ? hopeless_in_contention : hopeless_after;
  if (world_->now() - ran_ >= after + run_.settings.network.latency * (3 * IdleWatch::ways_of_a_search)) {
    cancel_hopeless();
    ran_ = world_->now();
  }
}

void FaultRun::play_unchecked() {
  for (const Act& act : run_.acts) {
    world_->run_until(act.at);
    perform(act);
  }
  world_->run_until(run_.trouble_ends);
  checkers_.check_all(*world_);
}

/// Whether idle nodes should soon serve the request. Not if its home site asks neighbours only when its own queue is
/// longer than the site is wide.
bool FaultRun::is_watched(const Party& user, const ResourceNeed& need) const {
  const auto home = *find_site(world_->topology(), user.site);
  const bool waits_for_home = world_->topology().sites[home].settings.delegation_threshold > 1;
  const bool single = need.kind == RequestKind::non_fixed && need.components.size() == 1;
  return single && !waits_for_home && searches_all(user);
}

std::size_t FaultRun::open_jobs() const {
  std::size_t open = 0;
  for (const Party& party : world_->parties()) {
    const Driver<JobManager>* manager = party.role == Role::job_manager ? world_->job_manager(party) : nullptr;
    if (!manager) continue;
    for (std::size_t state = 0; !is_over(static_cast<JobState>(state)); ++state)
      open += manager->manager.count(static_cast<JobState>(state));
  }
  return open;
}

bool FaultRun::anything_to_wait_for() const {
  return std::any_of(world_->parties().begin(), world_->parties().end(), [&](const Party& party) {
    if (party.role == Role::site_manager) {
      const Driver<SiteManager>* site = world_->site(party.site);
      return site && site->manager.co_allocator().has_plans();  // files are under way
    }
    if (party.role != Role::resource_manager) return false;
    if (world_->performer(party).runs_anything()) return true;
    const Driver<ResourceManager>* manager = world_->resource_manager(party);
    return manager && !manager->manager.view().aside.empty();
  });
}

bool FaultRun::advance(Instant until) {
  for (;;) {
    Instant back = never;
    for (const auto& [party, at] : back_at_) back = std::min(back, at);
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
  if (run_.trouble == Trouble::none && fault_.empty()) fault_ = check_homecoming();
  const bool is_whole = run_.trouble == Trouble::none || world_->now() > run_.trouble_ends;
  if (is_whole && fault_.empty()) fault_ = idle_watch_.look(*world_);
  if (!has_chances_ && fault_.empty()) fault_ = shares_watch_.look(*world_);
  crash_the_doomed();
  return fault_.empty();
}

void FaultRun::crash_the_doomed() {
  if (doomed_.empty()) return;
  for (const auto& [party, away] : std::map<Party, Duration>(doomed_)) {
    if (!world_->is_up(party) || !world_->is_committing(party)) continue;
    doomed_.erase(party);
    back_at_[party] = world_->now() + away;
    note(stamp(world_->now()) + " ** crashed in its commit " + short_name(party));
    world_->slow_disk(party, {});
    world_->crash(party);
  }
  tell();
}

void FaultRun::bring_back() {
  for (const auto& [party, at] : std::map<Party, Instant>(back_at_)) {
    if (world_->now() < at) continue;
    back_at_.erase(party);
    if (!world_->is_up(party)) world_->restart(party);
  }
  tell();
}

/// Without faults all nodes come home without waiting for a lease to expire.
std::string FaultRun::check_homecoming() {
  for (const Party& party : world_->parties())
    if (party.role == Role::job_manager)
      for (const JobState state : {JobState::waiting, JobState::starting, JobState::running, JobState::ending})
        if (world_->job_manager(party)->manager.count(state) > 0) idle_since_ = world_->now();
  if (world_->quiet()) idle_since_ = world_->now();
  return world_->now() - idle_since_ > nodes_home_max ? "all jobs ended and nodes didn't come home" : "";
}

void FaultRun::tell() {
  auto happenings = world_->take_happenings();
  checkers_.note(happenings);
  hold_watch_.note(happenings);
  sometimes_.note(happenings);
  for (Happening& happening : happenings) {
    note(happening);
    if (trace_) trace_(line_of(happening));
    past_.push_back(std::move(happening));
    if (past_.size() > happenings_kept) past_.pop_front();
  }
}

void FaultRun::note(std::string line) {
  if (trace_) trace_(line);
  acts_.push_back(std::move(line));
}

std::vector<std::string> FaultRun::story(const std::string& fault) const {
  std::vector<std::string> all(acts_.begin(), acts_.end());
  for (const Happening& happening : past_) all.push_back(line_of(happening));
  const auto stamp_of = [](const std::string& line) { return line.substr(0, line.find(']')); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const std::string& a, const std::string& b) { return stamp_of(a) < stamp_of(b); });
  const std::string about = mentioned(fault);
  std::vector<std::string> told;
  if (!about.empty())
    for (const std::string& line : all)
      if (line.find(about) != std::string::npos) told.push_back(line);
  if (told.size() > lines_told) told.erase(told.begin(), told.end() - lines_told);
  told.push_back("...");
  const std::size_t last = std::min(all.size(), lines_told);
  told.insert(told.end(), all.end() - static_cast<std::ptrdiff_t>(last), all.end());
  return told;
}

// ---- doing -------------------------------------------------------------------------------------------------------

void FaultRun::perform(const Act& act) {
  std::string line = stamp(world_->now()) + " ** " + std::string(to_text(act.kind));
  for (const Party& party : {act.a, act.b})
    if (!party.site.empty()) line += " " + short_name(party);
  note(std::move(line));
  note_act(act);
  excuse(act);
  watch_isolation(act);
  perform_on(act);
  tell();
}

void FaultRun::perform_on(const Act& act) {
  using Kind = Act::Kind;
  const bool is_up = !act.a.site.empty() && world_->is_up(act.a);
  switch (act.kind) {
    case Kind::submit: return submit(act);
    case Kind::cancel: return cancel(act);
    case Kind::cut: return world_->cut(act.a, act.b);
    case Kind::cut_one_way: return world_->cut_one_way(act.a, act.b);
    case Kind::heal: return world_->heal(act.a, act.b);
    case Kind::reset: return world_->reset(act.a, act.b);
    case Kind::crash:
    case Kind::crash_host:
      if (is_up) world_->crash(act.a, act.kind == Kind::crash ? Crash::process : Crash::host);
      return;
    case Kind::restart:
      if (!is_up) world_->restart(act.a);
      return;
    case Kind::pause:
      if (is_up) world_->pause(act.a);
      return;
    case Kind::freeze:
      if (is_up) world_->freeze(act.a);
      return;
    case Kind::resume:
      if (is_up) world_->resume(act.a);
      return;
    case Kind::unreachable: return world_->set_reachable(act.a, false);
    case Kind::drift: return world_->drift(act.a, act.rate);
    case Kind::jump: return world_->jump(act.a, act.length);
    case Kind::slow_disk: return world_->slow_disk(act.a, act.length);
    case Kind::reclaim: return world_->reclaim(act.a.site, act.b.site.text, act.length);
    case Kind::drain: return world_->drain(act.a.site, act.b.site);
    case Kind::end_drains: return world_->end_drains();
    case Kind::isolate: return world_->isolate(act.a);
    case Kind::rejoin:
      for (const Party& other : world_->parties()) world_->heal(act.a, other);
      return;
    case Kind::crash_in_commit: doomed_[act.a] = act.length; return world_->slow_disk(act.a, seconds(1));
    case Kind::resize:
      world_->resize(act.a, static_cast<std::uint32_t>(act.number));
      return configure_sizes(act.a.site);
    case Kind::part: return connect(act, false);
    case Kind::link: return connect(act, true);
    case Kind::report_late: return world_->report_late(act.a, act.length);
    case Kind::lose_programs: return world_->lose_programs(act.a);
    case Kind::rotate_key: return world_->rotate_key(act.a, act.length);
    case Kind::take_key: return world_->take_key(act.a);
    case Kind::revoke_key: return world_->revoke_key(act.a);
    case Kind::impersonate: return world_->impersonate(act.a, act.b);
    case Kind::clone: return world_->clone(act.a);
    case Kind::hand_back:
      if (is_up) world_->hand_back(act.a, act.length);
      return;
  }
}

/// Writes the present sizes of a site's resource managers into its configuration.
void FaultRun::configure_sizes(const SiteName& name) {
  const TopologySite& site = world_->topology().sites[*find_site(world_->topology(), name)];
  SiteSettings settings = site.settings;
  for (ClusterSettings& cluster : settings.clusters) {
    cluster.nodes = 0;
    for (const ResourceManagerSettings& one : resource_managers_of(site)) {
      if (one.cluster != cluster.name) continue;
      const auto sizes = sizes_.find(resource_manager_of(name, one.name));
      cluster.nodes += sizes == sizes_.end() ? one.nodes : sizes->second.back().second;
    }
  }
  world_->reconfigure(name, settings);
}

/// Configures both sites to know or forget the other one. A site that doesn't answer reads it at its next start.
void FaultRun::connect(const Act& act, bool connected) {
  for (const auto& [one, other] : {std::pair(act.a.site, act.b.site), std::pair(act.b.site, act.a.site)}) {
    const auto site = find_site(world_->topology(), one);
    SiteSettings settings = world_->topology().sites[*site].settings;
    std::erase_if(settings.neighbours,
                  [&](const NeighbourSettings& neighbour) { return neighbour.site == other; });
    if (connected)
      for (const NeighbourSettings& neighbour : run_.topology.sites[*site].settings.neighbours)
        if (neighbour.site == other) settings.neighbours.push_back(neighbour);
    if (const std::string fault = world_->reconfigure(one, settings); !fault.empty())
      note(stamp(world_->now()) + " ** " + one.text + " isn't configured: " + fault);
  }
}

/// An isolated resource manager must end its programs a term after it noticed the silence.
void FaultRun::watch_isolation(const Act& act) {
  for (const Party& party : {act.a, act.b}) {
    const auto it = isolated_.find(party);
    if (it == isolated_.end() || act.kind == Act::Kind::cut || act.kind == Act::Kind::isolate) continue;
    const bool heard_no_party = act.kind == Act::Kind::rejoin && world_->now() - it->second > fenced_after;
    isolated_.erase(it);
    if (!heard_no_party) continue;  // another act touched it meanwhile
    for (const auto& program : world_->performer(party).running())
      if (!program->ending)
        late_fault_ = to_text(program->id.request) + " runs on at " + to_text(party) + ", which hears no manager";
  }
  if (act.kind == Act::Kind::rejoin) isolated_.clear();  // other isolated ones can hear this one again
  if (act.kind == Act::Kind::isolate && act.a.role == Role::resource_manager) isolated_[act.a] = world_->now();
}

/// Tells the checkers where two attempts at a job may overlap.
void FaultRun::excuse(const Act& act) {
  if (act.kind == Act::Kind::freeze) frozen_.emplace(act.a, world_->now());
  if (act.kind == Act::Kind::jump) out_of_time_[act.a] += act.length;
  if (act.kind == Act::Kind::resume)
    if (const auto it = frozen_.find(act.a); it != frozen_.end()) {
      out_of_time_[act.a] += world_->now() - it->second;
      frozen_.erase(it);
    }
  if (const auto it = out_of_time_.find(act.a); it != out_of_time_.end() && it->second > out_of_time_max)
    checkers_.excuse(act.a);
}

void FaultRun::submit(const Act& act) {
  const std::uint64_t number = world_->submit(act.a, act.job);
  if (number == 0) return;
  asked_[{act.a, number}] = act.job;
  const Driver<JobManager>* driver = world_->job_manager(act.a);
  for (std::uint32_t i = 0; driver && i < act.job.array.size(); ++i)
    if (const auto element = driver->manager.element(number, act.job.array.index_at(i))) {
      JobDescription& of_element = asked_[JobOfUser{act.a, *element}] = act.job;
      of_element.array = {};
    }
}

void FaultRun::cancel(const Act& act) {
  if (world_->cancel(act.a, act.number).empty()) cancelled_.insert({act.a, act.number});
}

/// Heals all faults.
void FaultRun::mend() {
  doomed_.clear();
  back_at_.clear();
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

}  // namespace dmm
