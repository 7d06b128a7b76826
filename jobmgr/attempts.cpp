// The steps of attempts.hpp.
#include "jobmgr/attempts.hpp"

#include <algorithm>

#include "jobmgr/asking.hpp"
#include "jobmgr/barrier.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/going_on.hpp"
#include "jobmgr/losing.hpp"
#include "jobmgr/output.hpp"
#include "jobmgr/staged.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"

namespace dmm::job_steps {

namespace {

// What people are told of the deciding component, beside its exit.
std::string text_of(const ComponentRun& component_run, EndClass end, const SiteName& owner) {
  if (!component_run.text.empty()) return component_run.text;
  if (component_run.end.known && component_run.end.fault != StartFault::none)
    return std::string(words_for(component_run.end.fault));
  return end == EndClass::interrupted ? text_of_interruption(component_run, owner) : std::string();
}

/// The same of the one that decides how an attempt ends; where there are several, also which one it is.
std::string text_of(const Attempt& run, const ComponentRun& deciding, EndClass end) {
  const SiteName& owner = run.lease_of(deciding).lease.owner;
  std::string text = text_of(deciding, end, owner);
  if (end == EndClass::bad && run.components.size() > 1)
    text += (text.empty() ? "component " : "; component ") + std::to_string(deciding.component) + ", at " +
            owner.text + ", ended so";
  return text;
}

/// A component runs, or ran, since then; the first one of the job, and of its attempt, count.
void note_running(JobParts& parts, Job& job, Instant since) {
  if (!job.started) {
    job.started = since;
    parts.eligibility.note(job.number, JobState::running);
    if (job.array != 0) note_element_running(parts, job, since);
  }
  if (!job.ran_from) job.ran_from = since;
}

/// What keeps a component of the present attempt apart; whether that is new.
bool note_isolation(Job& job, const ComponentRun& component_run, std::string_view isolation) {
  DMM_ASSERT(has_attempt(job.state));
  if (isolation.empty() || component_run.lease >= job.places.size()) return false;
  Few<ShortText>& known = job.places[component_run.lease].isolation;
  const ShortText text = shortened(isolation, isolation_bytes_max);
  if (known.size() == isolations_max || std::ranges::find(known, text) != known.end()) return false;
  known.push_back(text);
  return true;
}

/// The others were stopped for the sake of this component: its trouble was the first. `otherwise` if none had trouble.
const ComponentRun& first_troubled(const Job& job, const ComponentRun& otherwise) {
  const ComponentRun* first = &otherwise;
  for (const ComponentRun& one : job.run->components) {
    const bool is_earlier = first->order == 0 || one.order < first->order;
    if (one.order > 0 && is_earlier && !is_left_behind(job, one)) first = &one;
  }
  return *first;
}

void take_end(ComponentRun& component_run, Ended& ended) {
  const bool keeper_died = ended.keeper_died && ended.kind == EndKind::lost;
  component_run.end = {true, ended.kind, ended.code, ended.fault, keeper_died, keeper_died && ended.others_died};
  // Its site may have said that it knows the lease no longer.
  if (ended.lease_end != LeaseEnd::released && explains_more(component_run.cause, ended.lease_end))
    component_run.cause = ended.lease_end;
  component_run.text = shortened(ended.text, text_bytes_max);
  component_run.wall = ended.wall;
  component_run.cpu = ended.cpu;
  auto& [output, error] = component_run.streams.edit();
  output.bytes = ended.output_bytes;
  output.all = std::move(ended.output);
  error.bytes = ended.error_bytes;
  error.all = std::move(ended.error);
}

}  // namespace

/// One Stop reaches all components of a request at a resource manager.
static void stop(JobStep& s, Job& job, std::uint32_t component, Duration grace);
/// `deciding`: the component by which the attempt came to its end.
static void run_again(JobStep& s, Job& job, Interruption interruption, const ComponentRun& deciding);
/// Nothing of ours is left there: until the next Start neither side need hear the other.
static void dormant_if_idle(JobStep& s, const Party& manager);

Subject subject_of(JobParts& parts, const Party& from, const RequestId& request, std::uint32_t component) {
  Job* job = parts.jobs.find(request.job);
  if (!job || !job->run || parts.request_of(*job) != request || component >= job->run->components.size())
    return {};
  ComponentRun& component_run = job->run->components[component];
  if (component_run.manager != from || component_run.phase == ComponentPhase::queued) return {};
  return {job, &component_run};
}

void on(JobStep& s, FromProvider from, const Started& started) {
  const auto [job, component_run] = subject_of(s.parts, from.party, started.request, started.component);
  if (!component_run || component_run->phase == ComponentPhase::over) {
    // Something runs that counts as over: its output was given up, and so is it.
    if (!component_run || !component_run->end.known)
      s.effects.send(from.party, Stop{started.request, {}}, started.request);
    return;
  }
  if (note_isolation(*job, *component_run, started.isolation)) s.parts.changed(*job);
  const bool is_barrier = awaits_go(*job);
  if (component_run->phase == ComponentPhase::started) {
    if (!is_barrier) return s.parts.ignore("repeated");
    if (task_ready(s, *job, started.component, started.contact.view())) note_running(s.parts, *job, s.now);
    return;
  }
  component_run->phase = component_run->reached = ComponentPhase::started;
  if (job->state != JobState::ending) tell_staged(s, *job, *component_run);
  s.parts.changed(*job);
  s.parts.starts.answered(*component_run);
  if (job->state != JobState::ending) s.parts.set_due(*component_run, {job->number, started.component}, never);
  if (!is_barrier) note_running(s.parts, *job, s.now);
  if (--job->run->unstarted == 0 && job->state == JobState::starting) {
    s.parts.change(*job, JobEvent::all_started);
    if (s.effects.wants(Level::info))
      s.effects.log(Level::info, "started", started.request, {{"process", std::int64_t{started.process}}});
  }
  if (is_barrier && task_ready(s, *job, started.component, started.contact.view()))
    note_running(s.parts, *job, s.now);
}

void on(JobStep& s, FromProvider from, Ended& ended) {
  const auto [job, component_run] = subject_of(s.parts, from.party, ended.request, ended.component);
  if (!component_run) {
    s.effects.send(from.party, Forget{ended.request}, ended.request);
    return dormant_if_idle(s, from.party);
  }
  s.parts.changed(*job);
  // Repeated, or too late to count: its directory goes with those of the other components, for Forget names no
  // one.
  if (std::exchange(component_run->heard, true) || component_run->phase == ComponentPhase::over)
    return s.parts.ignore("repeated");
  take_end(*component_run, ended);
  const bool kept_others_waiting = awaits_go(*job) && component_run->contact.empty();
  const std::size_t lease = component_run->lease;
  const bool is_only_one = std::ranges::count(job->run->components, lease, &ComponentRun::lease) == 1;
  const bool ends_with_it = is_only_one && job->run->leases[lease].lease.owner == s.parts.settings.site;
  if (ended.gave_back && ends_with_it) release_lease(s, *job, lease, Returned::known);
  if (ended.kind != EndKind::start_failed && job->run->went) note_running(s.parts, *job, s.now - ended.wall);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "ended", ended.request,
                  {{"component", std::int64_t{ended.component}},
                   {"kind", std::string(to_text(ended.kind))},
                   {"code", std::int64_t{ended.code}},
                   {"wall_seconds", ended.wall.in_seconds()}});
  component_over(s.parts, *job, ended.component);
  if (classify(component_run->end, component_run->interrupted, component_run->stopping) != EndClass::good) {
    if (component_run->order == 0) component_run->order = ++job->run->troubles;
    return wind_down_or_go_on(s, *job, stop_grace);
  }
  if (job->run->open == 0) return attempt_over(s, *job);
  if (job->state == JobState::starting && job->run->unstarted == 0) s.parts.change(*job, JobEvent::all_started);
  if (kept_others_waiting && go_if_ready(s, *job)) note_running(s.parts, *job, s.now);
}

void stop(JobStep& s, Job& job, std::uint32_t component, Duration grace) {
  ComponentRun& component_run = job.run->components[component];
  DMM_ASSERT(component_run.phase != ComponentPhase::queued && component_run.phase != ComponentPhase::over);
  if (component_run.stopping) return;
  const bool told = std::any_of(
      job.run->components.begin(), job.run->components.end(),
      [&](const ComponentRun& other) { return other.stopping && other.manager == component_run.manager; });
  component_run.stopping = true;
  s.parts.changed(job);
  if (!told) s.effects.send(component_run.manager, Stop{s.parts.request_of(job), grace}, s.parts.request_of(job));
}

void interrupt(JobStep& s, Job& job, std::uint32_t component, bool confirmed, Duration grace, Duration awaited) {
  ComponentRun& component_run = job.run->components[component];
  DMM_ASSERT(component_run.phase != ComponentPhase::over);
  if (component_run.order == 0) component_run.order = ++job.run->troubles;
  const bool known = std::exchange(component_run.interrupted, true);
  s.parts.changed(job);
  if (confirmed || component_run.phase == ComponentPhase::queued || DMM_PLANT(end_not_awaited))
    return component_over(s.parts, job, component);
  // A Stop would reach all components of the job there; the owner ends this one.
  if (!is_left_behind(job, component_run)) stop(s, job, component, grace);
  const Duration left = std::max(s.parts.patience(*job.run) - awaited, Duration{});
  if (!known) s.parts.set_due(component_run, {job.number, component}, s.now + grace + left);
}

void component_over(JobParts& parts, Job& job, std::uint32_t component) {
  ComponentRun& component_run = job.run->components[component];
  DMM_ASSERT(component_run.phase != ComponentPhase::over && job.run->open > 0);
  DMM_ASSERT(has_attempt(job.state) && job.state != JobState::collecting);
  if (component_run.phase != ComponentPhase::started) --job.run->unstarted;
  component_run.phase = ComponentPhase::over;
  parts.changed(job);
  --job.run->open;
  parts.starts.answered(component_run);
  parts.set_due(component_run, {job.number, component}, never);
}

void wind_down(JobStep& s, Job& job, Duration grace) {
  DMM_ASSERT(job.run != nullptr);
  if (job.state != JobState::ending) {
    s.parts.change(job, JobEvent::stopping);
    job.run->grace = grace;
    s.parts.changed(job, Grade::synced);
    // Starts are awaited no longer, but ends.
    for (std::uint32_t i = 0; i < job.run->components.size(); ++i)
      if (!job.run->components[i].interrupted) s.parts.set_due(job.run->components[i], {job.number, i}, never);
  }
  for (std::uint32_t i = 0; i < job.run->components.size(); ++i) {
    ComponentRun& component_run = job.run->components[i];
    if (component_run.phase == ComponentPhase::over) continue;
    if (component_run.phase == ComponentPhase::queued) {
      component_over(s.parts, job, i);
      continue;
    }
    stop(s, job, i, grace);
    if (component_run.due == never)
      s.parts.set_due(component_run, {job.number, i}, s.now + grace + s.parts.patience(*job.run));
  }
  if (job.run->open == 0) attempt_over(s, job);
}

void attempt_over(JobStep& s, Job& job) {
  Attempt& run = *job.run;
  DMM_ASSERT(run.open == 0);
  release(s, job);
  if (has_files(job.description.program)) s.effects.shares.push_back({job.number, {}, {}, {}});
  for (const LeaseUse& use : run.leases) {
    const bool was_open = s.parts.leases.close(use.lease, job.number);
    DMM_ASSERT(was_open);
  }
  s.parts.change(job, JobEvent::all_ended);
  s.parts.changed(job, Grade::synced);
  job.ended = s.now;
  Verdict verdict = verdict_of(ends_of(job));
  while (verdict.end == EndClass::good && is_left_behind(job, run.components[verdict.component]))
    ++verdict.component;
  // It was stopped for the sake of a component that then ended well, against what was known.
  const bool was_stopped_for_another = verdict.end == EndClass::stopped && !job.cancel_wanted;
  if (was_stopped_for_another) verdict.end = EndClass::interrupted;
  job.wall = {};
  for (const ComponentRun& component_run : run.components) job.wall = std::max(job.wall, component_run.wall);
  DMM_ASSERT(verdict.component < run.components.size());
  const ComponentRun& last = run.components[verdict.component];
  if (last.end.known) job.exit = JobExit{last.end.kind, last.end.code, last.end.fault};
  const ComponentRun& deciding = was_stopped_for_another ? first_troubled(job, last) : last;
  job.text = verdict.end == EndClass::good ? text_of_left_behind(job) : text_of(run, deciding, verdict.end);
  const bool is_interrupted = verdict.end == EndClass::interrupted;
  Interruption interruption = interruption_of(run, deciding);
  if (interruption == Interruption::keeper && DMM_PLANT(keeper_death_charged))
    interruption = Interruption::nodes_lost;
  if (interruption == Interruption::owner && DMM_PLANT(reclaim_charged)) interruption = Interruption::nodes_lost;
  if (is_interrupted && interruption == Interruption::keeper) {
    ++job.keeper_deaths;
    job.is_suspect |= !deciding.end.others_died;
  }
  // An attempt without a Start costs its user nothing and isn't counted.
  Rerun rerun = run.asked ? rerun_after(job, interruption, s.parts.settings) : Rerun::allowed;
  if (run.asked && DMM_PLANT(given_up_at_once)) rerun = Rerun::used_up;
  job.outcome = outcome(verdict.end, job.cancel_wanted, rerun);
  if (job.outcome == JobEvent::again) return run_again(s, job, interruption, deciding);
  if (job.outcome == JobEvent::lose)
    job.text = (job.reruns == 0 ? "interrupted, and may not run again; " : "interrupted too often; ") + job.text;
  if (is_interrupted && rerun == Rerun::suspected) job.text = text_of_suspicion(job.keeper_deaths);
  collect(s, job);
}

void run_again(JobStep& s, Job& job, Interruption interruption, const ComponentRun& deciding) {
  DMM_ASSERT(job.state == JobState::collecting && job.outcome == JobEvent::again);
  const RequestId old = s.parts.request_of(job);
  Duration pause;
  if (job.run->asked) {
    const Duration ran = job.granted ? s.now - *job.granted : Duration{};
    pause = pause_before_rerun(job, old, interruption, ran, s.parts.settings);
    count_interruption(job, interruption, deciding.cause, job.run->lease_of(deciding).lease.owner, old.site, ran);
  }
  leave_attempt(s, job);
  // No resource manager says how long a lost component ran.
  if (job.ran_from) job.ran_before += job.wall > Duration{} ? job.wall : s.now - *job.ran_from;
  job.waits_since = s.now;
  job.ran_from.reset();
  job.granted.reset();
  job.ended.reset();
  job.places.clear();
  if (!job.joint->placement.empty()) job.joint.edit().placement = {};
  job.exit.reset();
  job.wall = {};
  s.parts.change(job, JobEvent::again);
  ask_again(s, job, pause);
  std::vector<LogField> fields{
      {"attempt", std::int64_t{job.attempt}}, {"reruns", std::int64_t{job.reruns}}, {"text", job.text}};
  if (interruption == Interruption::keeper) fields.push_back({"keeper_deaths", std::int64_t{job.keeper_deaths}});
  if (job.false_starts > 0) fields.push_back({"false_starts", std::int64_t{job.false_starts}});
  if (const std::uint32_t times = interruptions_of(*job.past, job.past_causes); times > 0)
    fields.push_back({"interruptions", std::int64_t{times}});
  if (pause > Duration{}) fields.push_back({"pause_seconds", pause.in_seconds()});
  s.effects.log(Level::info, "rerun", old, std::move(fields));
}

void leave_attempt(JobStep& s, Job& job) {
  Attempt& run = *job.run;
  for (std::uint32_t i = 0; i < run.components.size(); ++i) {
    ComponentRun& component_run = run.components[i];
    DMM_ASSERT(component_run.phase == ComponentPhase::over && !component_run.counted);
    const auto is_told = [&](const ComponentRun& other) {
      return other.heard && other.manager == component_run.manager;
    };
    if (is_told(component_run) &&
        std::none_of(run.components.begin(), run.components.begin() + i, is_told))  // one for all of a request
      s.effects.send(component_run.manager, Forget{s.parts.request_of(job)}, s.parts.request_of(job));
  }
  std::vector<Party> left;
  for (const ComponentRun& component_run : run.components) left.push_back(component_run.manager);
  drop_attempt(s.parts, job);
  for (const Party& manager : left) dormant_if_idle(s, manager);
}

void drop_attempt(JobParts& parts, Job& job) {
  DMM_ASSERT(job.run->open == 0 && !job.run->holds());
  for (std::uint32_t i = 0; i < job.run->components.size(); ++i) {
    ComponentRun& component_run = job.run->components[i];
    parts.set_due(component_run, {job.number, i}, never);
    parts.set_look(component_run, {job.number, i}, never);
    parts.managers.leave(component_run.manager, {job.number, i});
  }
  job.run.reset();
}

void dormant_if_idle(JobStep& s, const Party& manager) {
  if (s.parts.managers.is_idle(manager)) s.effects.dormant.push_back(manager);
}

}  // namespace dmm::job_steps
