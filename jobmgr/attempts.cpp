// The job manager's attempts at running a job: components that are started, run, end, are stopped or lost, and
// what follows from all their ends together.
#include <algorithm>

#include "jobmgr/job_manager.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

constexpr std::size_t nodes_variable_max = 96 * 1024;

/// A Start that isn't answered for so long goes far, and bursts no loop.
constexpr Duration place_held = seconds(2);

// "das-3/fs0/nodes:0-3,7;das-3/fs1/nodes:0-1": all nodes of the job, in the order in which they were granted.
void append_nodes(const std::vector<NodeGroup>& groups, std::string& text) {
  for (const NodeGroup& group : groups) {
    if (&group != &groups.front()) text += ';';
    text.append(group.resource_manager.site.text).append("/").append(group.cluster.text);
    text.append("/").append(group.resource_manager.name).append(":").append(to_text(group.nodes));
  }
}

std::vector<ComponentEnd> ends_of(const Attempt& run) {
  std::vector<ComponentEnd> ends;
  for (const Task& task : run.tasks)
    ends.push_back({classify(task.end, task.interrupted, task.stopping), task.order});
  return ends;
}

// What people are told of the deciding component, beside its exit.
std::string text_of(const Task& task, EndClass end, const SiteName& owner) {
  if (!task.text.empty()) return task.text;
  if (task.end.known && task.end.fault != StartFault::none) return std::string(to_text(task.end.fault));
  return end == EndClass::interrupted ? text_of_interruption(task, owner) : std::string();
}

/// A component runs, or ran, since then; the first one of the job, and of its attempt, count.
void note_running(Job& job, Instant since) {
  if (!job.started) job.started = since;
  if (!job.ran_from) job.ran_from = since;
}

void take_end(Task& task, Ended& ended) {
  const bool keeper_died = ended.keeper_died && ended.kind == EndKind::lost;
  task.end = {true, ended.kind, ended.code, ended.fault, keeper_died, keeper_died && ended.others_died};
  if (!task.cause && ended.lease_end != LeaseEnd::released) task.cause = ended.lease_end;
  task.text = shortened(ended.text, text_bytes_max);
  task.wall = ended.wall;
  task.cpu = ended.cpu;
  task.streams[0].bytes = ended.output_bytes;
  task.streams[0].all = std::move(ended.output);
  task.streams[1].bytes = ended.error_bytes;
  task.streams[1].all = std::move(ended.error);
}

}  // namespace

JobManager::Subject JobManager::subject_of(const Party& from, const RequestId& request, std::uint32_t component) {
  Job* job = jobs_.find(request.job);
  if (!job || !job->run || request_of(*job) != request || component >= job->run->tasks.size()) return {};
  Task& task = job->run->tasks[component];
  if (task.manager != from || task.phase == TaskPhase::queued) return {};
  return {job, &task};
}

// Starts what is queued, in order, while there are free places. A lease that wasn't renewed starts nothing new. That a
// component was asked for is synced: what the ledger calls queued never was, and can be given up without a word.
void JobManager::start_queued(Step step) {
  while (!queued_.empty() && starts_ < settings_.starts_at_once) {
    const auto [request, component] = queued_.front();
    queued_.pop_front();
    Job* job = jobs_.find(request.job);
    if (!job || !job->run || request_of(*job) != request) continue;
    Task& task = job->run->tasks[component];
    if (task.phase != TaskPhase::queued) continue;
    if (leases_.awaited(job->run->lease)) {
      awaiting_.emplace_back(request, component);
      continue;
    }
    if (!leases_.usable(step.now, job->run->lease)) {
      interrupt(step, *job, component, true);
      wind_down(step, *job);
      continue;
    }
    task.phase = task.reached = TaskPhase::asked;
    task.counted = true;
    ++starts_;
    job->run->asked = true;
    changed(*job, Grade::synced);
    const TaskKey key{job->number, component};
    places_.emplace_back(step.now + place_held, key);
    managers_.use(step.now, task.manager, key, job->run->round_trip * 2);
    set_due(task, key, step.now + settings_.start_limit + job->run->round_trip * 2);
    send_start(step, *job, component);
  }
}

// Only those that were sent of late keep others waiting.
void JobManager::free_places(Instant now) {
  for (; !places_.empty() && places_.front().first <= now; places_.pop_front()) {
    const TaskKey key = places_.front().second;
    Job* job = jobs_.find(key.job);
    if (job && job->run && key.component < job->run->tasks.size()) stop_counting(job->run->tasks[key.component]);
  }
}

// The site said more of its leases: what waited for that comes first.
void JobManager::queue_awaited() {
  queued_.insert(queued_.begin(), awaiting_.begin(), awaiting_.end());
  awaiting_.clear();
}

void JobManager::send_start(Step step, const Job& job, std::uint32_t component) {
  const Attempt& run = *job.run;
  Start start{run.lease, request_of(job), component, run.tasks[component].nodes, job.description.program, {},
              job.description.keep_output};
  auto& environment = start.program.environment;
  environment.reserve(environment.size() + 5);
  environment.push_back("DMM_JOB=" + std::to_string(job.number));
  environment.push_back("DMM_NODES=");
  append_nodes(run.granted, environment.back());
  // Linux takes no string above 128 KiB in an environment: the start would fail for a list that few programs read.
  if (environment.back().size() > nodes_variable_max) environment.pop_back();
  environment.push_back("DMM_PROCESSORS=" + std::to_string(processors_of(run.granted)));
  environment.push_back("DMM_COMPONENTS=" + std::to_string(run.tasks.size()));
  environment.push_back("DMM_COMPONENT=" + std::to_string(component));
  step.effects.send(run.tasks[component].manager, std::move(start), request_of(job));
}

void JobManager::on(Step step, FromProvider from, const Started& started) {
  const auto [job, task] = subject_of(from.party, started.request, started.component);
  if (!task || task->phase == TaskPhase::over) {
    // Something runs that counts as over: its output was given up, and so is it.
    if (!task || !task->end.known) step.effects.send(from.party, Stop{started.request, {}}, started.request);
    return;
  }
  if (task->phase == TaskPhase::started) return ignore("repeated");
  task->phase = task->reached = TaskPhase::started;
  changed(*job);
  stop_counting(*task);
  if (job->state != JobState::ending) set_due(*task, {job->number, started.component}, never);
  note_running(*job, step.now);
  if (--job->run->unstarted > 0 || job->state != JobState::starting) return;
  jobs_.change(*job, JobEvent::all_started);
  if (step.effects.wants(Level::info))
    step.effects.log(Level::info, "started", started.request, {{"process", std::int64_t{started.process}}});
}

void JobManager::on(Step step, FromProvider from, Ended& ended) {
  const auto [job, task] = subject_of(from.party, ended.request, ended.component);
  if (!task) {
    step.effects.send(from.party, Forget{ended.request}, ended.request);
    return rest_if_idle(step, from.party);
  }
  changed(*job);
  // Repeated, or too late to count: its directory goes with those of the other components, for Forget names no
  // one.
  if (std::exchange(task->heard, true) || task->phase == TaskPhase::over) return ignore("repeated");
  take_end(*task, ended);
  const bool ends_with_it = job->run->tasks.size() == 1 && job->run->lease.owner == settings_.site;
  if (ended.gave_back && ends_with_it) release(step, *job, Returned::known);
  if (ended.kind != EndKind::start_failed) note_running(*job, step.now - ended.wall);
  if (step.effects.wants(Level::info))
    step.effects.log(Level::info, "ended", ended.request,
                     {{"component", std::int64_t{ended.component}},
                      {"kind", std::string(to_text(ended.kind))},
                      {"code", std::int64_t{ended.code}},
                      {"wall_seconds", ended.wall.in_seconds()}});
  task_over(*job, ended.component);
  if (classify(task->end, task->interrupted, task->stopping) != EndClass::good) {
    if (task->order == 0) task->order = ++job->run->troubles;
    return wind_down(step, *job);
  }
  if (job->run->open == 0) return attempt_over(step, *job);
  if (job->state == JobState::starting && job->run->unstarted == 0) jobs_.change(*job, JobEvent::all_started);
}

// One Stop reaches all components of a request at a resource manager.
void JobManager::stop(Step step, Job& job, std::uint32_t component, Duration grace) {
  Task& task = job.run->tasks[component];
  if (task.stopping) return;
  const bool told = std::any_of(job.run->tasks.begin(), job.run->tasks.end(), [&](const Task& other) {
    return other.stopping && other.manager == task.manager;
  });
  task.stopping = true;
  changed(job);
  if (!told) step.effects.send(task.manager, Stop{request_of(job), grace}, request_of(job));
}

// The component lost its nodes or its resource manager. `confirmed`: nothing of it runs any more; else it has the
// grace to end, and its resource manager some time to say so, of which so much was `awaited` already.
void JobManager::interrupt(Step step, Job& job, std::uint32_t component, bool confirmed, Duration grace,
                           Duration awaited) {
  Task& task = job.run->tasks[component];
  DMM_ASSERT(task.phase != TaskPhase::over);
  if (task.order == 0) task.order = ++job.run->troubles;
  const bool known = std::exchange(task.interrupted, true);
  changed(job);
  if (confirmed || task.phase == TaskPhase::queued || DMM_PLANT(end_not_awaited)) return task_over(job, component);
  stop(step, job, component, grace);
  const Duration left = std::max(patience(*job.run) - awaited, Duration{});
  if (!known) set_due(task, {job.number, component}, step.now + grace + left);
}

void JobManager::task_over(Job& job, std::uint32_t component) {
  Task& task = job.run->tasks[component];
  DMM_ASSERT(task.phase != TaskPhase::over && job.run->open > 0);
  if (task.phase != TaskPhase::started) --job.run->unstarted;
  task.phase = TaskPhase::over;
  changed(job);
  --job.run->open;
  stop_counting(task);
  set_due(task, {job.number, component}, never);
}

void JobManager::stop_counting(Task& task) {
  if (std::exchange(task.counted, false)) --starts_;
}

// The attempt is given up: what wasn't started won't be, what runs is stopped and waited for.
void JobManager::wind_down(Step step, Job& job, Duration grace) {
  DMM_ASSERT(job.run != nullptr);
  if (job.state != JobState::ending) {
    jobs_.change(job, JobEvent::stopping);
    job.run->grace = grace;
    changed(job, Grade::synced);
    // Starts are awaited no longer, but ends.
    for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i)
      if (!job.run->tasks[i].interrupted) set_due(job.run->tasks[i], {job.number, i}, never);
  }
  for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i) {
    Task& task = job.run->tasks[i];
    if (task.phase == TaskPhase::over) continue;
    if (task.phase == TaskPhase::queued) {
      task_over(job, i);
      continue;
    }
    stop(step, job, i, grace);
    if (task.due == never) set_due(task, {job.number, i}, step.now + grace + patience(*job.run));
  }
  if (job.run->open == 0) attempt_over(step, job);
}

// Nothing of the attempt runs any more: the nodes go back first, then it is decided what the job has come to.
void JobManager::attempt_over(Step step, Job& job) {
  Attempt& run = *job.run;
  DMM_ASSERT(run.open == 0);
  release(step, job);
  const bool was_open = leases_.close(run.lease, job.number);
  DMM_ASSERT(was_open);
  jobs_.change(job, JobEvent::all_ended);
  changed(job, Grade::synced);
  job.ended = step.now;
  Verdict verdict = judge(ends_of(run));
  // It was stopped for the sake of a component that then ended well, against what was known.
  if (verdict.end == EndClass::stopped && !job.cancel_wanted) verdict.end = EndClass::interrupted;
  job.wall = {};
  for (const Task& task : run.tasks) job.wall = std::max(job.wall, task.wall);
  const Task& deciding = run.tasks[verdict.component];
  if (deciding.end.known) job.exit = JobExit{deciding.end.kind, deciding.end.code, deciding.end.fault};
  job.text = text_of(deciding, verdict.end, run.lease.owner);
  const bool is_interrupted = verdict.end == EndClass::interrupted;
  Interruption interruption = interruption_of(run, deciding);
  if (interruption == Interruption::keeper && DMM_PLANT(keeper_death_charged)) interruption = Interruption::nodes_lost;
  if (interruption == Interruption::owner && DMM_PLANT(reclaim_charged)) interruption = Interruption::nodes_lost;
  if (is_interrupted && interruption == Interruption::keeper) {
    ++job.keeper_deaths;
    job.is_suspect |= !deciding.end.others_died;
  }
  // An attempt of which no Start was sent costs its user nothing and isn't counted.
  Rerun rerun = run.asked ? rerun_after(job, interruption, settings_) : Rerun::allowed;
  if (run.asked && DMM_PLANT(given_up_at_once)) rerun = Rerun::used_up;
  job.outcome = outcome(verdict.end, job.cancel_wanted, rerun);
  if (job.outcome == JobEvent::again) return run_again(step, job, interruption);
  if (job.outcome == JobEvent::lose)
    job.text = (job.reruns == 0 ? "interrupted, and may not run again; " : "interrupted too often; ") + job.text;
  if (is_interrupted && rerun == Rerun::suspected) job.text = text_of_suspicion(job.keeper_deaths);
  collect(step, job);
}

void JobManager::run_again(Step step, Job& job, Interruption interruption) {
  const RequestId old = request_of(job);
  Duration pause;
  if (job.run->asked) {
    const Duration ran = job.granted ? step.now - *job.granted : Duration{};
    pause = pause_before_rerun(job, old, interruption, ran, settings_);
    job.reruns += interruption == Interruption::nodes_lost ? 1 : 0;
    job.false_starts += interruption == Interruption::nothing_ran ? 1 : 0;
    if (interruption == Interruption::owner) note_interruption(job.past, job.run->lease.owner, ran);
  }
  leave_attempt(step, job);
  // No resource manager says how long a lost component ran.
  if (job.ran_from) job.ran_before += job.wall > Duration{} ? job.wall : step.now - *job.ran_from;
  job.waits_since = step.now;
  job.ran_from.reset();
  job.granted.reset();
  job.ended.reset();
  job.place.reset();
  job.exit.reset();
  job.wall = {};
  jobs_.change(job, JobEvent::again);
  ask_again(step, job, pause);
  std::vector<LogField> fields{{"attempt", std::int64_t{job.attempt}}, {"reruns", std::int64_t{job.reruns}},
                               {"text", job.text}};
  if (interruption == Interruption::keeper) fields.push_back({"keeper_deaths", std::int64_t{job.keeper_deaths}});
  if (job.false_starts > 0) fields.push_back({"false_starts", std::int64_t{job.false_starts}});
  if (job.past.times > 0) fields.push_back({"interruptions", std::int64_t{job.past.times}});
  if (pause > Duration{}) fields.push_back({"pause_seconds", pause.in_seconds()});
  step.effects.log(Level::info, "rerun", old, std::move(fields));
}

// Lets resource managers remove what they keep for the attempt. One whose word is still awaited is told when it
// comes.
void JobManager::leave_attempt(Step step, Job& job) {
  Attempt& run = *job.run;
  for (std::uint32_t i = 0; i < run.tasks.size(); ++i) {
    Task& task = run.tasks[i];
    DMM_ASSERT(task.phase == TaskPhase::over && !task.counted);
    const auto is_told = [&](const Task& other) {
      return other.heard && other.manager == task.manager;
    };
    if (is_told(task) && std::none_of(run.tasks.begin(), run.tasks.begin() + i, is_told))  // one for all of a request
      step.effects.send(task.manager, Forget{request_of(job)}, request_of(job));
  }
  std::vector<Party> left;
  for (const Task& task : run.tasks) left.push_back(task.manager);
  drop_attempt(job);
  for (const Party& manager : left) rest_if_idle(step, manager);
}

void JobManager::drop_attempt(Job& job) {
  for (std::uint32_t i = 0; i < job.run->tasks.size(); ++i) {
    Task& task = job.run->tasks[i];
    set_due(task, {job.number, i}, never);
    set_look(task, {job.number, i}, never);
    managers_.leave(task.manager, {job.number, i});
  }
  job.run.reset();
}

// Nothing of ours is left there: until the next Start nobody need hear of the other.
void JobManager::rest_if_idle(Step step, const Party& manager) {
  if (managers_.is_idle(manager)) step.effects.rests.push_back(manager);
}

void JobManager::set_due(Task& task, TaskKey key, Instant due) {
  if (task.due == due) return;
  if (task.due != never) due_.erase({task.due, key});
  task.due = due;
  if (due != never) due_.emplace(due, key);
}

}  // namespace dmm
