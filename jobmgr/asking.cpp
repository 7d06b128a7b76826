// The job manager, from submission to grant: accepting jobs, asking the home site for nodes, taking what it
// grants, giving back what can't be used, and losing nodes again.
#include <algorithm>
#include <iterator>

#include "jobmgr/job_manager.hpp"
#include "jobmgr/routes.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// So many are asked for in one step: a million that wait must not hold up what runs.
constexpr std::size_t asks_a_step = 1'000;
/// Thirty years are as good as more.
constexpr std::uint64_t wall_told_max = std::uint64_t{30} * 365 * 86400;

Attempt attempt_of(Grant& grant) {
  Attempt attempt;
  attempt.lease = grant.lease;
  for (const NodeGroup& group : grant.nodes)
    if (group.component >= attempt.tasks.size()) attempt.tasks.resize(group.component + 1);
  for (const NodeGroup& group : grant.nodes) {
    Task& task = attempt.tasks[group.component];
    if (!task.nodes.empty()) continue;  // the program runs at the first group, the others are only held
    task.manager = group.resource_manager;
    task.nodes = group.nodes;
  }
  attempt.open = attempt.unstarted = static_cast<std::uint32_t>(attempt.tasks.size());
  attempt.round_trip = std::clamp(grant.round_trip, Duration{}, round_trip_max);
  attempt.granted = std::move(grant.nodes);
  attempt.holds = true;
  return attempt;
}

Place place_of(const Grant& grant) {
  Place place{grant.lease.owner, {}, grant.lease, grant.chain};
  for (const NodeGroup& group : grant.nodes)
    if (std::find(place.clusters.begin(), place.clusters.end(), group.cluster) == place.clusters.end())
      place.clusters.push_back(group.cluster);
  return place;
}

std::string chain_text(const SiteNames& chain) {
  std::string text;
  for (const SiteName& site : chain) text += (text.empty() ? "" : " > ") + site.text;
  return text;
}

// Whether nodes on which the component's program runs are among those that ended.
bool ends_under(const Task& task, const LeaseEnded& ended) {
  return ended.nodes.empty() || std::any_of(ended.nodes.begin(), ended.nodes.end(), [&](const NodeGroup& group) {
    return group.resource_manager == task.manager && overlap(group.nodes, task.nodes);
  });
}

// Somebody fell silent: nothing new is started, but what runs may do so as long as its resource manager lets it.
bool is_soft(const LeaseEnded& ended) {
  if (ended.confirmed) return false;
  switch (ended.reason) {
    case LeaseEnd::expired:
    case LeaseEnd::node_lost:
    case LeaseEnd::not_claimed:
    case LeaseEnd::owner_lost:
    case LeaseEnd::unknown:
    case LeaseEnd::link_removed:
    case LeaseEnd::idle: return true;
    default: return false;
  }
}

// The owner may give what runs some time to end by itself; its resource manager was told the same.
Duration grace_of(const LeaseEnded& ended) {
  const bool has_grace = ended.reason == LeaseEnd::reclaimed || ended.reason == LeaseEnd::at_longest;
  return has_grace && !ended.confirmed ? std::max(ended.grace, Duration{}) : JobManager::stop_grace;
}

}  // namespace

RequestId JobManager::request_of(const Job& job) const {
  return {settings_.site, settings_.user, job.number, job.attempt};
}

void JobManager::on(Step step, FromClient from, Submit& submit) {
  if (const Submitted* answer = submissions_.find(from.party, submit.token)) {
    if (is_repeated(submit, *answer)) return step.effects.send(from.party, *answer);
    return step.effects.send(from.party,
                             Submitted{submit.token, 0, 0, "this submission was used before, for other jobs"});
  }
  Submitted answer{submit.token, 0, 0, fault_of(submit)};
  if (answer.fault.empty() && jobs_.open() + submit.jobs.size() > settings_.jobs_max)
    answer.fault = "at most " + std::to_string(settings_.jobs_max) + " jobs may be open at once";
  if (answer.fault.empty()) answer.fault = take_output_paths(submit);
  if (answer.fault.empty()) {
    answer.first_job = next_job_;
    answer.jobs = static_cast<std::uint32_t>(submit.jobs.size());
    auto dropped = submissions_.remember(from.party, answer);
    unwritten_.answer({from.party, answer.token, answer.first_job, answer.jobs}, std::move(dropped));
    while (jobs_.size() + submit.jobs.size() > settings_.jobs_max) {
      Job& oldest = *jobs_.oldest_ended();
      if (oldest.run) leave_attempt(step, oldest);
      forget(oldest.number);
    }
    for (JobDescription& job : submit.jobs) accept(step, std::move(job));
  }
  step.effects.send(from.party, answer);
}

/// Each of the jobs, as it will be numbered, gets its files; or none does, and this says why.
std::string JobManager::take_output_paths(const Submit& submit) {
  for (std::size_t i = 0; i < submit.jobs.size(); ++i) {
    std::string fault = output_paths_.take(next_job_ + i, submit.jobs[i]);
    if (fault.empty()) continue;
    while (i-- > 0) output_paths_.give_back(next_job_ + i, submit.jobs[i]);
    return fault;
  }
  return {};
}

/// Whether these are the jobs that were accepted then, as far as they are still known: of a job that is over neither
/// program nor need is.
bool JobManager::is_repeated(const Submit& submit, const Submitted& answer) const {
  if (submit.jobs.size() != answer.jobs) return false;
  for (std::size_t i = 0; i < submit.jobs.size(); ++i) {
    const Job* job = jobs_.find(answer.first_job + i);
    if (!job) continue;
    const JobDescription &is = submit.jobs[i], &was = job->description;
    if (is.name != was.name || is.output_path != was.output_path || is.error_path != was.error_path) return false;
    if (!is_over(job->state) && (is.need != was.need || is.program.arguments != was.program.arguments)) return false;
  }
  return true;
}

void JobManager::accept(Step step, JobDescription description) {
  Job job;
  job.number = next_job_++;
  job.processors = total_processors(description.need);
  job.description = std::move(description);
  job.submitted = job.waits_since = step.now;
  const Job& added = jobs_.add(std::move(job));
  unwritten_.description(added.number);
  changed(added, DMM_PLANT(job_only_committed) ? Grade::committed : Grade::synced);
  if (step.effects.wants(Level::info))
    step.effects.log(Level::info, "submitted", request_of(added),
                     {{"job", static_cast<std::int64_t>(added.number)},
                      {"processors", static_cast<std::int64_t>(added.processors)}});
}

void JobManager::ask(Step step, const Job& job) {
  const JobDescription& wanted = job.description;
  const Duration waited = step.now - job.submitted;
  const std::uint64_t wall = std::min<std::uint64_t>(wanted.program.limits.wall_seconds, wall_told_max);
  const Duration length = seconds(static_cast<std::int64_t>(wall));
  Request request{request_of(job), wanted.need, wanted.dttl, wanted.priority, waited, settings_.user, length, job.past};
  tell_site(step, std::move(request), request_of(job));
}

// What was submitted, and in a new session everything that waits, is asked for in order, a piece of it in each step.
void JobManager::ask_waiting(Step step) {
  if (!may_ask()) return;
  const std::vector<std::uint64_t> waiting = jobs_.in(JobState::waiting, ask_from_, asks_a_step);
  for (const std::uint64_t number : waiting)
    if (const Job& job = *jobs_.find(number); job.again_at == never) ask(step, job);
  ask_from_ = waiting.size() < asks_a_step ? next_job_ : waiting.back() + 1;
}

// It waits once more, as another attempt, and is asked for after the pause.
void JobManager::ask_again(Step step, Job& job, Duration pause) {
  ++job.attempt;
  changed(job);
  if (pause > Duration{}) {
    job.again_at = step.now + pause;
    pauses_.emplace(job.again_at, job.number);
  } else if (job.number < ask_from_) {
    ask(step, job);
  }
}

void JobManager::end_pauses(Step step) {
  while (!pauses_.empty() && pauses_.begin()->first <= step.now) {
    Job& job = *jobs_.find(pauses_.begin()->second);
    pauses_.erase(pauses_.begin());
    job.again_at = never;
    changed(job);
    if (job.number < ask_from_) ask(step, job);
  }
}

void JobManager::on(Step step, FromSite, const Refuse& refuse) {
  Job* job = jobs_.find(refuse.request.job);
  if (!job || job->state != JobState::waiting || request_of(*job) != refuse.request)
    return ignore("not_waiting");
  job->text = "refused: " + std::string(to_text(refuse.reason));
  if (refuse.reason == RefusalReason::too_large)
    job->text += "; the largest cluster that can be reached has " + std::to_string(refuse.largest) + " processors";
  if (!refuse.text.empty()) job->text += "; " + shortened(refuse.text, text_bytes_max);
  job->ended = step.now;
  close(step, *job, JobEvent::fail);
}

void JobManager::on(Step step, FromSite, Grant& grant) {
  Job* job = jobs_.find(grant.request.job);
  const bool present = job && request_of(*job) == grant.request;
  // What we use already must not be released.
  if (present && leases_.holds(grant.lease, job->number)) return ignore("held_already");
  if (!present || job->state != JobState::waiting) {
    step.effects.log(Level::debug, "grant_unwanted", grant.request, {{"lease", to_text(grant.lease)}});
    return give_back(step, grant, false);
  }
  if (std::string fault = dmm::fault_of(grant.nodes, job->description.need); !fault.empty()) {
    step.effects.log(Level::error, "grant_broken", grant.request, {{"text", fault}});
    give_back(step, grant, true);
    return ask_again(step, *job);
  }
  record(step, *job, grant);
}

// Without nodes there is nothing to give back, and a Release that names none would end the lease for other jobs
// too.
void JobManager::give_back(Step step, Grant& grant, bool failed) {
  if (grant.nodes.empty()) return;
  tell_site(step, Release{grant.lease, std::move(grant.nodes), false, failed}, grant.request);
}

void JobManager::record(Step step, Job& job, Grant& grant) {
  if (step.effects.wants(Level::info))
    step.effects.log(Level::info, "granted", grant.request,
                     {{"lease", to_text(grant.lease)},
                      {"owner", grant.lease.owner.text},
                      {"chain", chain_text(grant.chain)},
                      {"wait_seconds", (step.now - job.submitted).in_seconds()}});
  add_routes(step.effects, grant.nodes, grant.chain);
  job.granted = step.now;
  job.place = place_of(grant);
  job.origin = grant.origin;
  job.tries += grant.tries;
  leases_.add(step.now, grant.lease, job.number, grant.term);
  job.run = std::make_unique<Attempt>(attempt_of(grant));
  leases_.open(grant.lease, job.number);
  jobs_.change(job, JobEvent::granted);
  changed(job, Grade::synced);
  for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i) queued_.emplace_back(grant.request, i);
}

std::string JobManager::cancel(Instant now, std::uint64_t number, Effects& effects, Duration grace) {
  const Step step = begin(now, effects);
  Job* job = jobs_.find(number);
  if (!job) return "there is no job " + std::to_string(number);
  const bool cancelling = job->state == JobState::collecting && job->outcome == JobEvent::cancel;
  if (job->state == JobState::cancelled || cancelling) return {};
  if (job->state == JobState::collecting || is_over(job->state))
    return "job " + std::to_string(number) + " has ended already";
  if (job->state == JobState::waiting) {
    take_back(step, *job);
  } else if (!std::exchange(job->cancel_wanted, true)) {
    changed(*job, Grade::synced);
    wind_down(step, *job, grace);
  }
  return {};
}

void JobManager::take_back(Step step, Job& job) {
  if (job.again_at == never) {
    tell_site(step, Cancel{request_of(job)}, request_of(job));
  } else {
    pauses_.erase({job.again_at, job.number});
    job.again_at = never;
  }
  job.ended = step.now;
  close(step, job, JobEvent::cancel);
}

void JobManager::on(Step step, FromSite, const LeaseEnded& ended) {
  const auto open = leases_.open_under(ended.lease);
  if (open.empty()) return ignore("unknown_lease");
  for (std::uint64_t number : open) lose_nodes(step, *jobs_.find(number), ended);
}

// The owner takes nodes back, or nobody can use them any more. A component that loses nodes is interrupted, unless
// the end is soft and it has started: then it runs on without them.
void JobManager::lose_nodes(Step step, Job& job, const LeaseEnded& ended) {
  Attempt& run = *job.run;
  std::vector<NodeGroup> rest = run.held();
  const std::vector<NodeGroup> hit = remove_nodes(rest, ended.nodes);
  run.lost.insert(run.lost.end(), hit.begin(), hit.end());
  run.holds = !rest.empty();
  if (!run.holds) leases_.remove(run.lease, job.number);
  if (!run.holds) run.gone_at = std::min(run.gone_at, step.now);
  changed(job);
  bool interrupted = false;
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i) interrupted |= loses(step, job, i, hit, ended);
  if (!interrupted) return;
  if (step.effects.wants(Level::info))
    step.effects.log(Level::info, "lease_ended", request_of(job),
                     {{"lease", to_text(ended.lease)},
                      {"reason", std::string(to_text(ended.reason))},
                      {"confirmed", ended.confirmed}});
  wind_down(step, job, grace_of(ended));
}

// Whether the component is interrupted by that. That its program is over is only certain if nodes of its own resource
// manager are among those confirmed clean, which may be said later than that they are lost.
bool JobManager::loses(Step step, Job& job, std::uint32_t component, const std::vector<NodeGroup>& hit,
                       const LeaseEnded& ended) {
  Task& task = job.run->tasks[component];
  if (task.phase == TaskPhase::over) return false;
  const bool touched =
      std::any_of(hit.begin(), hit.end(), [&](const NodeGroup& group) { return group.component == component; });
  const bool clean = ended.confirmed && ends_under(task, ended);
  if (!touched && !clean) return false;
  if (!task.cause || !is_owners_right(*task.cause)) task.cause = ended.reason;
  task.clean |= clean;
  if (is_soft(ended) && task.phase == TaskPhase::started) return false;
  interrupt(step, job, component, clean, grace_of(ended));
  return true;
}

void JobManager::on(Step step, FromSite, const Renewed& renewed) {
  for (const LeaseTerm& said : renewed.terms) leases_.promise(step.now, said.lease, said.left);
  queue_awaited();
}

// The site is told, unless it knows.
void JobManager::release(Step step, Job& job, Returned how) {
  Attempt& run = *job.run;
  if (!run.holds) return;
  leases_.remove(run.lease, job.number);
  changed(job);
  if (how != Returned::known && !DMM_PLANT(nodes_not_released))
    tell_site(step, Release{run.lease, run.held(), false, how == Returned::unused}, request_of(job));
  run.holds = false;
}

}  // namespace dmm
