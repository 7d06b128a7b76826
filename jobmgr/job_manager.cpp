// The gate of the job manager, the order of its steps, links, and what time calls for.
#include "jobmgr/job_manager.hpp"

#include <algorithm>

#include "jobmgr/array_view.hpp"
#include "jobmgr/asking.hpp"
#include "jobmgr/attempts.hpp"
#include "jobmgr/barrier.hpp"
#include "jobmgr/conditions.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/going_on.hpp"
#include "jobmgr/invariants.hpp"
#include "jobmgr/losing.hpp"
#include "jobmgr/output.hpp"
#include "jobmgr/output_trouble.hpp"
#include "jobmgr/recovery.hpp"
#include "jobmgr/staged.hpp"
#include "jobmgr/starting.hpp"
#include "manager/assert.hpp"

namespace dmm {

using namespace job_steps;

JobParts::JobParts(JobManagerSettings all_settings)
    : settings(std::move(all_settings)),
      site(settings.site),
      intake(settings.first_job, settings.submissions_remembered),
      managers(settings.confirm_limit) {
  DMM_ASSERT(intake.next_job() > 0 && settings.starts_at_once > 0);
}

void JobParts::change(Job& job, JobEvent event) {
  const JobState was = job.state;
  jobs.change(job, event);
  if (job.array != 0) arrays.move(*arrays.element_of(job.number), was, job.state);
}

void job_steps::tell_site(JobStep& s, Message message, const RequestId& about) {
  if (s.parts.site.was_up()) s.effects.send(s.parts.site.party(), std::move(message), about);
}

namespace {

// ---- links ----------------------------------------------------------------------------------------------------------

/// A new incarnation of the site knows none of our requests, and of its grants only those that its ledger kept.
/// Both sides say what they believe; nodes for jobs that wait are asked for again, with how long each has waited.
/// What runs goes on.
void site_came_up(JobStep& s, bool restarted) {
  const bool is_new = s.parts.site.came_up(restarted);
  s.parts.managers.restart_silences(s.now);
  if (!is_new) return;
  s.parts.leases.suspend();
  offer_inventory(s);
}

/// Its new incarnation knows what it ran, and tells the outcome when it is asked; what was said to the old one may be
/// lost. In the first session with a resource manager nothing is: what waited for it is kept for it.
void manager_came_up(JobStep& s, const Party& manager, bool restarted) {
  const bool first = s.parts.managers.up(manager);
  for (ComponentKey key : s.parts.managers.components_of(manager)) {
    Job& job = *s.parts.jobs.find(key.job);
    DMM_ASSERT(job.run && key.component < job.run->components.size());
    if (!first && restarted) say_again(s, job, key.component);
    fetch_pending(s, job, key.component);
  }
}

void on(JobStep& s, const LinkUp& up) {
  if (up.peer == s.parts.site.party()) return site_came_up(s, up.restarted);
  if (up.peer.role == Role::resource_manager) manager_came_up(s, up.peer, up.restarted);
}

/// A Start to a resource manager that can't be reached gives its start slot back: it must not keep others waiting.
void on(JobStep& s, const LinkDown& down) {
  if (down.peer == s.parts.site.party()) return s.parts.site.went_down();
  if (down.forgotten)
    s.parts.managers.forget(s.now, down.peer);
  else
    s.parts.managers.down(s.now, down.peer);
  for (ComponentKey key : s.parts.managers.components_of(down.peer))
    s.parts.starts.answered(s.parts.jobs.find(key.job)->run->components[key.component]);
}

void on(JobStep& s, const LinkStanding& change) {
  if (change.peer != s.parts.site.party()) return;
  if (change.stands)
    s.parts.leases.stand();
  else
    s.parts.leases.waver(change.proved);
  s.parts.starts.queue_aside();
}

void on(JobStep& s, const LinkPressed& change) {
  if (change.peer == s.parts.site.party()) s.parts.site.set_pressed(change.pressed);
}

// ---- what time calls for --------------------------------------------------------------------------------------------

/// Its nodes are given back at once, so that no renewal keeps alive what may still run there; then its end is awaited.
void give_up(JobStep& s, const Party& silent) {
  for (ComponentKey key : s.parts.managers.components_of(silent)) {
    Job* job = s.parts.jobs.find(key.job);
    if (!job || !job->run || job->run->open == 0) continue;
    const ComponentRun& component_run = job->run->components.at(key.component);
    if (component_run.phase == ComponentPhase::over || is_left_behind(*job, component_run)) continue;
    // What lost its nodes before has had to end by itself since then, or since its resource manager was heard last.
    const Instant gone_at = job->run->lease_of(component_run).gone_at;
    const Duration awaited = std::clamp(s.now - gone_at, Duration{}, s.parts.settings.confirm_limit);
    interrupt(s, *job, key.component, false, stop_grace, awaited);
    release(s, *job);
    wind_down(s, *job);
  }
}

/// No answer to the Start, or no confirmation of the end, came in time. Where the nodes are still held the owner is
/// told first and has the same time again to end what runs; after that the component counts as over.
void pass_due(JobStep& s, ComponentKey key) {
  Job& job = *s.parts.jobs.find(key.job);
  ComponentRun& component_run = job.run->components[key.component];
  DMM_ASSERT(component_run.due <= s.now);
  s.parts.set_due(component_run, key, never);
  if (is_over(job.state)) return give_up_output(s, job);
  DMM_ASSERT(component_run.phase != ComponentPhase::over);
  if (!component_run.interrupted) {
    const bool is_unstarted = job.state == JobState::starting;
    interrupt(s, job, key.component, false);
    release(s, job, is_unstarted ? Returned::unused : Returned::used);
    if (is_unstarted) wind_down(s, job);
    return;
  }
  component_run.text = "neither the resource manager nor the owner confirmed its end in time";
  component_over(s.parts, job, key.component);
  release_left_behind(s, job);
  if (job.run->open == 0) attempt_over(s, job);
}

// ---- the gate -------------------------------------------------------------------------------------------------------

/// To the handler for this message from a sender of this role; what isn't taken is answered with a Fault.
void on(JobStep& s, Received& received) {
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body) requires requires {
    job_steps::on(s, sender, body);
  }
  { job_steps::on(s, sender, body); };
  const Party& from = received.from;
  const bool is_other_site = from.role == Role::site_manager && from != s.parts.site.party();
  const FromSite sender{from, 0, received.proved, received.round_trip};
  const bool taken = !is_other_site && dispatch_by_role<Role::job_manager>(sender, received.message, handle);
  // A Fault is never answered: two parties that don't understand each other would never stop.
  if (const std::uint16_t type = type_of(received.message); !taken && type != Fault::type) {
    s.parts.ignore("not_allowed");
    s.effects.send(received.from, Fault{type, "a job manager doesn't take this message from this role"});
  }
}

JobView see(const JobParts& parts, const Job& job) {
  JobView view = view_of(job, parts.request_of(job));
  if (const Conditions* conditions = parts.eligibility.find(job.number)) {
    view.held = conditions->held;
    view.begin_at = conditions->begin_at;
    for (const Dependency& one : conditions->awaits) view.awaits.push_back(as_named(parts, one));
  }
  if (job.is_array()) add_elements(parts, job, view);
  if (!job.run) return view;
  for (const ComponentRun& component_run : job.run->components) {
    const bool has_output = component_run.streams->at(0).state == OutputState::pending ||
                            component_run.streams->at(1).state == OutputState::pending;
    if (component_run.phase == ComponentPhase::queued ||
        (component_run.phase == ComponentPhase::over && !has_output))
      continue;
    const Instant until = std::min(component_run.due, parts.managers.silent_until(component_run.manager));
    const auto known = std::ranges::find(view.heads, component_run.manager, &HeadView::manager);
    if (known != view.heads.end())
      known->until = std::min(known->until, until);
    else
      view.heads.push_back({component_run.manager, parts.managers.is_up(component_run.manager), until});
  }
  return view;
}

/// How many jobs are looked at between two looks at how many are wanted.
constexpr std::size_t listed_a_page = 1'000;

/// The next jobs that may be what the query wants, in order. Arrays that run wait in the table.
std::vector<std::uint64_t> listed(const JobParts& parts, const JobQuery& query, std::uint64_t from) {
  std::vector<std::uint64_t> numbers;
  if (query.state && *query.state != JobState::running) return parts.jobs.in(*query.state, from, listed_a_page);
  if (!query.state) {
    const auto& all = parts.jobs.all();
    for (auto it = all.lower_bound(from); it != all.end() && numbers.size() < listed_a_page; ++it)
      numbers.push_back(it->first);
    return numbers;
  }
  numbers = parts.jobs.in(JobState::running, from);
  for (const std::uint64_t array : parts.arrays.numbers())
    if (array >= from) numbers.push_back(array);
  std::ranges::sort(numbers);
  if (numbers.size() > listed_a_page) numbers.resize(listed_a_page);
  return numbers;
}

bool is_wanted(const JobParts& parts, const Job& job, const JobQuery& query) {
  if (!query.elements && job.array != 0) return false;
  return !query.state || !job.is_array() || shown_state(parts, job) == *query.state;
}

}  // namespace

JobManager::JobManager(JobManagerSettings settings) : parts_(std::move(settings)) {}

JobManager::JobManager(JobManager&&) noexcept = default;
JobManager& JobManager::operator=(JobManager&&) noexcept = default;
JobManager::~JobManager() = default;

// ---- a step ---------------------------------------------------------------------------------------------------------

void JobManager::receive(Instant now, Received&& message, Effects& effects) {
  JobStep s = begin(now, effects);
  dmm::on(s, message);
}

void JobManager::receive(Instant now, Input input, Effects& effects) {
  JobStep s = begin(now, effects);
  std::visit(
      [&](auto& event) {
        if constexpr (std::is_same_v<std::decay_t<decltype(event)>, OutputWritten>)
          job_steps::on(s, event);
        else
          dmm::on(s, event);
      },
      input);
}

/// What a restart found is taken up before the first event.
JobStep JobManager::begin(Instant now, Effects& effects) {
  parts_.unwritten.wanted = effects.ledger.wanted;
  JobStep s{parts_, now, effects};
  resume(s);
  return s;
}

void JobManager::settle(Instant now, Effects& effects) {
  JobStep s = begin(now, effects);
  while (const auto key = parts_.due.due(now)) pass_due(s, *key);
  while (const auto key = parts_.looks.due(now)) look(s, *key);
  // Cut off from our own site as well, silence says nothing about resource managers.
  while (parts_.site.is_up()) {
    const auto silent = parts_.managers.take_silent(now);
    if (!silent) break;
    give_up(s, *silent);
  }
  free_start_slots(parts_, now);
  start_queued(s);
  end_pauses(s);
  end_begins(s);
  tell_dependents(s);
  make_elements(s);
  ask_waiting(s);
  // What rested a moment ago may just have been given something to start: its silence must be noticed.
  std::erase_if(effects.dormant, [&](const Party& manager) { return !parts_.managers.is_idle(manager); });
  write_changes(s);
}

Instant JobManager::next_deadline() const {
  if (parts_.may_ask() || parts_.arrays.has_next()) return Instant{};
  const Instant silence = parts_.site.is_up() ? parts_.managers.next_silence() : never;
  return std::min({parts_.due.next_deadline(), parts_.looks.next_deadline(), parts_.starts.next_deadline(),
                   parts_.pauses.next_deadline(), parts_.eligibility.next_deadline(), silence});
}

// ---- the public face ------------------------------------------------------------------------------------------------

WhyNot JobManager::restore(Instant now, std::vector<JobManagerRecord> rows) {
  return job_steps::restore(parts_, now, std::move(rows));
}
std::vector<JobManagerRecord> JobManager::records() const { return job_steps::records(parts_); }
std::vector<Holding> JobManager::holdings() const { return job_steps::holdings(parts_); }
WhyNot JobManager::broken_invariant() const { return job_steps::broken_invariant(parts_); }
bool JobManager::forget(std::uint64_t job) { return job_steps::forget(parts_, job); }

WhyNot JobManager::cancel(Instant now, std::uint64_t job, Effects& effects, Duration grace) {
  JobStep s = begin(now, effects);
  return job_steps::cancel(s, job, grace);
}
Altered JobManager::alter(Instant now, std::uint64_t job, const Alteration& wanted, Effects& effects) {
  JobStep s = begin(now, effects);
  return job_steps::alter(s, job, wanted);
}
WhyNot JobManager::fetch_again(Instant now, std::uint64_t job, Effects& effects) {
  JobStep s = begin(now, effects);
  return job_steps::fetch_again(s, job);
}

WhyNot JobManager::reconfigure(const JobManagerSettings& settings) {
  if (settings.site != parts_.settings.site || settings.user != parts_.settings.user)
    return "the user and the site of a job manager can't change while it runs";
  parts_.settings = settings;
  parts_.managers.set_limit(settings.confirm_limit);
  return {};
}

std::optional<JobView> JobManager::job(std::uint64_t number) const {
  if (const Job* found = parts_.jobs.find(number)) return see(parts_, *found);
  if (const auto element = parts_.arrays.element_of(number)) return view_of_element(parts_, *element);
  return std::nullopt;
}

std::vector<JobView> JobManager::jobs(const JobQuery& query) const {
  std::vector<JobView> views;
  for (std::uint64_t from = query.from; views.size() < query.limit;) {
    const std::vector<std::uint64_t> page = listed(parts_, query, from);
    for (const std::uint64_t number : page) {
      const Job& found = *parts_.jobs.find(number);
      if (views.size() < query.limit && is_wanted(parts_, found, query)) views.push_back(see(parts_, found));
    }
    if (page.size() < listed_a_page) break;
    from = page.back() + 1;
  }
  return views;
}

std::optional<std::uint64_t> JobManager::element(std::uint64_t array, std::uint32_t index) const {
  const JobArray* found = parts_.arrays.find(array);
  const auto position = found ? found->indices.position_of(index) : std::nullopt;
  return position ? std::optional(found->number_at(*position)) : std::nullopt;
}

std::size_t JobManager::count(JobState state) const {
  std::size_t count = parts_.jobs.count(state);
  if (state == JobState::waiting) count += parts_.arrays.left();
  if (is_over(state)) count += parts_.arrays.ended_without_job(state);
  for (const std::uint64_t number : parts_.arrays.numbers()) count -= parts_.jobs.find(number)->state == state;
  return count;
}

std::uint64_t JobManager::ever(JobState state) const {
  return parts_.jobs.ever(state) + (is_over(state) ? parts_.arrays.ever_ended_without_job(state) : 0);
}

}  // namespace dmm
