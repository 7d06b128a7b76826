// The door of the job manager: who may say what, what becomes of links, and what time calls for.
#include "jobmgr/job_manager.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

JobManager::JobManager(JobManagerSettings settings)
    : settings_(std::move(settings)),
      site_(site_manager_of(settings_.site)),
      next_job_(settings_.first_job),
      submissions_(settings_.submissions_remembered),
      managers_(settings_.confirm_limit) {
  DMM_ASSERT(next_job_ > 0 && settings_.starts_at_once > 0);
}

JobManager::JobManager(JobManager&&) noexcept = default;
JobManager& JobManager::operator=(JobManager&&) noexcept = default;
JobManager::~JobManager() = default;

std::string JobManager::reconfigure(const JobManagerSettings& settings) {
  if (settings.site != settings_.site || settings.user != settings_.user)
    return "the user and the site of a job manager can't change while it runs";
  settings_ = settings;
  managers_.set_limit(settings_.confirm_limit);
  return {};
}

void JobManager::receive(Instant now, Received&& message, Effects& effects) { take(begin(now, effects), message); }

void JobManager::receive(Instant now, Input input, Effects& effects) {
  const Step step = begin(now, effects);
  std::visit([&](auto& event) { take(step, event); }, input);
}

JobManager::Step JobManager::begin(Instant now, Effects& effects) {
  unwritten_.wanted = effects.ledger.wanted;
  const Step step{now, effects};
  resume(step);
  return step;
}

void JobManager::take(Step step, Received& received) {
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body)
    requires requires { this->on(step, sender, body); }
  { this->on(step, sender, body); };
  const auto give = [&](const auto& sender) {
    return dispatch<Role::job_manager>(sender, received.message, handle);
  };
  bool taken = false;
  switch (received.from.role) {
    case Role::site_manager: taken = received.from == site_ && give(FromSite{received.from}); break;
    case Role::job_manager: taken = give(FromUser{received.from}); break;
    case Role::resource_manager: taken = give(FromProvider{received.from}); break;
    case Role::client: taken = give(FromClient{received.from}); break;
  }
  // A Fault is never answered: two parties that don't understand each other would never stop.
  if (const std::uint16_t type = type_of(received.message); !taken && type != Fault::type) {
    ignore("not_allowed");
    step.effects.send(received.from, Fault{type, "a job manager doesn't take this message from this role"});
  }
}

void JobManager::take(Step step, const LinkUp& up) {
  if (up.peer == site_) return site_came_up(step, up.restarted);
  if (up.peer.role == Role::resource_manager) manager_came_up(step, up.peer, up.restarted);
}

// A new incarnation of the site knows none of our requests, and what it granted only if it kept that: both sides say
// what they believe, and what waits is asked for again, with how long it has waited. What runs goes on.
void JobManager::site_came_up(Step step, bool restarted) {
  site_up_ = true;
  managers_.restart_silences(step.now);
  if (!std::exchange(site_seen_, true) || restarted) {
    leases_.suspend();
    offer_inventory(step);
    ask_from_ = 1;
  }
}

// Its new incarnation knows what it ran, and says what became of it when it is asked; what was said to the old one may
// be lost. In the first session with a manager nothing is: what waited for it is kept for it.
void JobManager::manager_came_up(Step step, const Party& manager, bool restarted) {
  const bool first = managers_.up(manager);
  for (TaskKey key : managers_.tasks_of(manager)) {
    Job& job = *jobs_.find(key.job);
    if (!first && restarted) say_again(step, job, key.component);
    fetch_pending(step, job, key.component);
  }
}

// A Start to a manager that can't be reached bursts no loop: it needn't keep others waiting.
void JobManager::take(Step step, const LinkDown& down) {
  if (down.peer == site_) {
    site_up_ = false;
    return;
  }
  if (down.forgotten)
    managers_.forget(step.now, down.peer);
  else
    managers_.down(step.now, down.peer);
  for (TaskKey key : managers_.tasks_of(down.peer)) stop_counting(jobs_.find(key.job)->run->tasks[key.component]);
}

void JobManager::take(Step, const LinkStanding& change) {
  if (change.peer != site_) return;
  if (change.stands)
    leases_.stand();
  else
    leases_.waver(change.proved);
  queue_awaited();
}

void JobManager::take(Step, const LinkPressed& change) {
  if (change.peer == site_) site_pressed_ = change.pressed;
}

void JobManager::settle(Instant now, Effects& effects) {
  const Step step = begin(now, effects);
  while (!due_.empty() && due_.begin()->first <= now) pass_due(step, due_.begin()->second);
  while (!looks_.empty() && looks_.begin()->first <= now) look(step, looks_.begin()->second);
  // Cut off from our own site as well, silence says nothing about the others.
  while (site_up_) {
    const auto silent = managers_.take_silent(now);
    if (!silent) break;
    give_up(step, *silent);
  }
  free_places(now);
  start_queued(step);
  end_pauses(step);
  ask_waiting(step);
  // What rested a moment ago may just have been given something to start: its silence must be noticed.
  std::erase_if(effects.rests, [&](const Party& manager) { return !managers_.is_idle(manager); });
  write_changes(step);
}

Instant JobManager::next_deadline() const {
  if (may_ask()) return Instant{};
  Instant next = due_.empty() ? never : due_.begin()->first;
  if (!looks_.empty()) next = std::min(next, looks_.begin()->first);
  if (!queued_.empty() && !places_.empty()) next = std::min(next, places_.front().first);
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first);
  if (site_up_) next = std::min(next, managers_.next_silence());
  return next;
}

// Its nodes are given back at once, so that no renewal keeps alive what may still run there; then its end is
// awaited.
void JobManager::give_up(Step step, const Party& silent) {
  for (TaskKey key : managers_.tasks_of(silent)) {
    Job* job = jobs_.find(key.job);
    if (!job || !job->run || job->run->open == 0) continue;
    if (job->run->tasks.at(key.component).phase == TaskPhase::over) continue;
    // What lost its nodes before has had to end by itself since then, or since its resource manager was heard last.
    const Duration awaited = std::clamp(step.now - job->run->gone_at, Duration{}, settings_.confirm_limit);
    interrupt(step, *job, key.component, false, stop_grace, awaited);
    release(step, *job);
    wind_down(step, *job);
  }
}

// Nobody answered the Start, or confirmed the end, in time. Where the nodes are still held the owner is told first and
// has the same time again to end what runs; after that the component counts as over.
void JobManager::pass_due(Step step, TaskKey key) {
  Job& job = *jobs_.find(key.job);
  Task& task = job.run->tasks[key.component];
  set_due(task, key, never);
  if (is_over(job.state)) return give_up_output(step, job);
  DMM_ASSERT(task.phase != TaskPhase::over);
  if (!task.interrupted) {
    const bool is_unstarted = job.state == JobState::starting;
    interrupt(step, job, key.component, false);
    release(step, job, is_unstarted ? Returned::unused : Returned::used);
    if (is_unstarted) wind_down(step, job);
    return;
  }
  task.text = "nobody confirmed its end in time";
  task_over(job, key.component);
  if (job.run->open == 0) attempt_over(step, job);
}

// Before the first session there is nothing to say: its first message is the inventory, and then come the requests.
void JobManager::tell_site(Step step, Message message, const RequestId& about) {
  if (site_seen_) step.effects.send(site_, std::move(message), about);
}

std::optional<JobView> JobManager::job(std::uint64_t number) const {
  const Job* found = jobs_.find(number);
  if (!found) return std::nullopt;
  return see(*found);
}

JobView JobManager::see(const Job& job) const {
  JobView view = view_of(job, request_of(job));
  if (!job.run) return view;
  for (const Task& task : job.run->tasks) {
    const bool has_output =
        task.streams[0].state == OutputState::pending || task.streams[1].state == OutputState::pending;
    if (task.phase == TaskPhase::queued || (task.phase == TaskPhase::over && !has_output)) continue;
    const Instant until = std::min(task.due, managers_.silent_until(task.manager));
    const auto known = std::ranges::find(view.heads, task.manager, &HeadView::manager);
    if (known != view.heads.end())
      known->until = std::min(known->until, until);
    else
      view.heads.push_back({task.manager, managers_.is_up(task.manager), until});
  }
  return view;
}

std::vector<JobView> JobManager::jobs(const JobQuery& query) const {
  std::vector<JobView> views;
  const auto add = [&](const Job& found) { views.push_back(see(found)); };
  if (query.state) {
    for (const std::uint64_t number : jobs_.in(*query.state, query.from, query.limit)) add(*jobs_.find(number));
  } else {
    const auto& all = jobs_.all();
    for (auto it = all.lower_bound(query.from); it != all.end() && views.size() < query.limit; ++it)
      add(*it->second);
  }
  return views;
}

}  // namespace dmm
