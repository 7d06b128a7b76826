// The steps of running.hpp.
#include "resmgr/running.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"
#include "resmgr/contact.hpp"
#include "resmgr/leasing.hpp"
#include "resmgr/output.hpp"

namespace dmm::resource_steps {

/// What is to be done with a parked Start now.
enum class Readiness : std::uint8_t { start, await_lease, await_nodes, no_lease, not_theirs, nodes_busy };

namespace {

/// Nothing goes on longer after its end was said, whatever a message says.
constexpr Duration wait_max = seconds(24 * 3600);
/// What came to nothing left no output: its outcome is kept for as long as its job manager may ask again.
constexpr Duration keep_refusal = seconds(600);

/// Only the job manager that a request names may speak of it, so the answer goes there.
Party asker_of(const TaskId& id) { return job_manager_of(id.request); }

/// The outcome of a task that was stopped before it ran.
Ended stopped(std::string text) {
  Ended outcome;
  outcome.kind = EndKind::stopped;
  outcome.text = std::move(text);
  return outcome;
}

}  // namespace

/// A Start came again: the asker doesn't know the outcome of the first. While it is undecided, the answer will
/// come.
static void answer_again(ResourceStep& s, TaskRecord& task, const Start& start);
static void tell_started(ResourceStep& s, const TaskRecord& task);
/// A job runs once at a time: with a later attempt, what is left of the earlier ones is killed, all components of
/// it.
static void replace_earlier_attempts(ResourceStep& s, const TaskId& id);
/// Only users of the site that holds the lease may start jobs under it; of the owner's own users, only the one that was
/// given it.
static bool is_for(const Assignment& lease, const RequestId& request);
static Readiness readiness_of(const ResourceParts& parts, const TaskRecord& task);
static void launch(ResourceStep& s, TaskRecord& task);
/// Nothing is left of a task that the ledger didn't know. With the last of them, all nodes may be used.
static void end_stray(ResourceStep& s, const TaskId& id);
/// Nothing of the task is left: its nodes are free for what waits for them, and the owner hears it if it asked.
static void leave_nodes(ResourceStep& s, TaskRecord& task);
/// Records the outcome and tells the job manager.
static void conclude(ResourceStep& s, TaskRecord& task, Ended&& outcome);

// ---- starting --------------------------------------------------------------------------------------------------

void on(ResourceStep& s, FromSite, Prefetch& prefetch) {
  if (s.parts.settings.jobs.kept_files.folder.empty() || s.parts.stopping) return;
  if (!fault_of(prefetch.files).empty()) return;
  s.effects.log(Level::info, "prefetch", prefetch.request,
                {{"files", static_cast<std::int64_t>(prefetch.files.size())}});
  s.effects.tasks.push_back(FetchFiles{prefetch.request, std::move(prefetch.files), std::move(prefetch.path)});
}

void on(ResourceStep& s, FilesFetched& fetched) {
  const ResourceManagerSettings& settings = s.parts.settings;
  if (fetched.text.empty())
    s.effects.log(Level::info, "prefetched", fetched.request, {});
  else
    s.effects.log(Level::warning, "prefetch_failed", fetched.request,
                  {{"text", std::string(fetched.text.view())}});
  s.effects.send(s.parts.site,
                 Prefetched{fetched.request, settings.site, settings.cluster, std::move(fetched.path),
                            std::move(fetched.text)},
                 fetched.request);
}

void on(ResourceStep& s, FromUser, Start& start) {
  const TaskId id{start.request, start.component};
  if (TaskRecord* known = s.parts.tasks.find(id)) return answer_again(s, *known, start);
  if (s.effects.wants(Level::debug))
    s.effects.log(Level::debug, "start", id.request,
                  {{"component", std::int64_t{id.component}},
                   {"lease", to_text(start.lease)},
                   {"nodes", to_text(start.nodes)}});
  const bool is_outdated = !s.parts.tasks.later_attempts(id).empty();
  TaskRecord& task = s.parts.tasks.add(s.now, id, start.lease.epoch);
  if (is_outdated) return conclude(s, task, stopped("a later attempt at the job was started here"));
  replace_earlier_attempts(s, id);
  if (s.parts.stopping) return fail(s, task, StartFault::no_lease, "the resource manager is being stopped");
  if (const std::string fault = fault_of(start.program); !fault.empty())
    return fail(s, task, StartFault::executable_missing, fault);
  if (!s.parts.slots.has(start.nodes)) return fail(s, task, StartFault::no_lease, "no such nodes");
  if (start.lease.owner != s.parts.settings.site)
    return fail(s, task, StartFault::no_lease, "the lease is of another site");
  if (s.parts.tasks.parked_of(asker_of(id)) >= s.parts.settings.parked_max ||
      s.parts.tasks.parked_bytes() > s.parts.settings.parked_bytes_max)
    return fail(s, task, StartFault::resources, "too many starts wait here for their leases");
  task.nodes = std::move(start.nodes);
  task.streams = start.streams;
  s.parts.tasks.set_program(task, std::move(start.program));
  s.parts.leases.look_at(task.lease);
}

void answer_again(ResourceStep& s, TaskRecord& task, const Start& start) {
  if (task.state == TaskState::ended) return s.effects.send(asker_of(task.id), *task.outcome, task.id.request);
  task.streams = start.streams;
  for (TaskRecord::Growth& growth : task.growth) growth.told = growth.read = 0;
  if (!task.started) return;
  tell_started(s, task);
  tell_growth(s, task);
}

void tell_started(ResourceStep& s, const TaskRecord& task) {
  DMM_ASSERT(task.started);
  s.effects.send(asker_of(task.id),
                 Started{task.id.request, task.id.component, task.process, task.isolation, task.contact},
                 task.id.request);
}

void replace_earlier_attempts(ResourceStep& s, const TaskId& id) {
  for (TaskRecord* task : s.parts.tasks.earlier_attempts(id)) {
    if (task->is_live())
      order_end(s, *task, Duration{}, EndKind::stopped);
    else if (task->state == TaskState::parked)
      conclude(s, *task, stopped("a later attempt at the job was started here"));
  }
}

bool is_for(const Assignment& lease, const RequestId& request) {
  return request.site == lease.holder && (lease.user.empty() || request.user == lease.user);
}

Readiness readiness_of(const ResourceParts& parts, const TaskRecord& task) {
  const Assignment* lease = parts.leases.find(task.lease);
  if (lease != nullptr && lease->closed) return Readiness::no_lease;
  if (lease != nullptr && !is_for(*lease, task.id.request)) return Readiness::not_theirs;
  if (!parts.slots.has(task.nodes)) return Readiness::no_lease;
  if (!parts.slots.admit(task.nodes, task.lease)) return Readiness::no_lease;
  if (!parts.slots.all_under(task.nodes, task.lease)) return Readiness::await_lease;
  if (parts.cleans.has_strays()) return Readiness::await_nodes;
  for (const TaskRecord* earlier : parts.tasks.earlier_attempts(task.id))
    if (earlier->is_live()) return Readiness::await_nodes;
  Readiness readiness = Readiness::start;
  for (const std::uint64_t number : parts.slots.tasks_on(task.nodes)) {
    if (parts.tasks.at(number).state != TaskState::ending) return Readiness::nodes_busy;
    readiness = Readiness::await_nodes;
  }
  return readiness;
}

void consider(ResourceStep& s, TaskRecord& task) {
  if (task.state != TaskState::parked) return;
  switch (readiness_of(s.parts, task)) {
    case Readiness::start: return launch(s, task);
    case Readiness::await_nodes: return s.parts.tasks.set_due(task, never);
    case Readiness::await_lease:
      if (task.due == never) s.parts.tasks.set_due(task, s.now + s.parts.settings.park);
      return;
    case Readiness::no_lease: return fail(s, task, StartFault::no_lease, "the lease isn't assigned here any more");
    case Readiness::not_theirs: return fail(s, task, StartFault::no_lease, "the lease is another user's");
    case Readiness::nodes_busy: return fail(s, task, StartFault::nodes_busy, "a job runs on the nodes");
  }
}

void launch(ResourceStep& s, TaskRecord& task) {
  DMM_ASSERT(task.state == TaskState::parked && !s.parts.stopping);
  DMM_ASSERT(task.program && !s.parts.cleans.has_strays());
  s.parts.tasks.set_due(task, never);
  s.parts.slots.occupy(task.nodes, task.lease, task.number);
  s.parts.tasks.enter(s.now, task, TaskState::starting);
  s.parts.presence.watch(s.now, asker_of(task.id), task.number);
  task.ordered = true;
  task.own_directory = task.program->working_directory.empty();
  // The keeper's deadline may be long past when nothing ran: it is moved before there is something to end.
  keep_tasks(s);
  s.effects.tasks.push_back(StartTask{
      task.id, std::move(*std::exchange(task.program, nullptr)), {s.parts.settings.site, task.lease}, task.nodes});
  s.parts.tasks.changed(task.id);
}

void on(ResourceStep& s, const TaskStarted& report) {
  TaskRecord* task = s.parts.tasks.find(report.id);
  if (task == nullptr || !task->is_live() || task->started)
    return s.effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("task_started")}});
  task->started = true;
  task->process = report.process;
  task->isolation = shortened(report.isolation, isolation_bytes_max);
  task->contact = shortened(report.contact, contact_bytes_max);
  s.parts.tasks.changed(report.id);
  ++s.parts.counts.started;
  if (task->state == TaskState::starting) s.parts.tasks.enter(s.now, *task, TaskState::running);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "started", report.id.request,
                  {{"component", std::int64_t{report.id.component}},
                   {"process", std::int64_t{report.process}},
                   {"isolation", report.isolation},
                   {"nodes", to_text(task->nodes)}});
  tell_started(s, *task);
}

void on(ResourceStep& s, FromUser, Go& go) {
  const TaskRecord* task = s.parts.tasks.find({go.request, go.component});
  if (task == nullptr || !task->is_live() || !task->started) {
    ++s.parts.ignored["not_ready"];
    return;
  }
  s.effects.log(Level::debug, "go", go.request, {{"component", std::int64_t{go.component}}});
  s.effects.tasks.push_back(GoTask{task->id, std::move(go.parts)});
  if (task->state == TaskState::running)
    s.effects.send(asker_of(task->id), Began{go.request, go.component}, go.request);
}

// ---- ending ----------------------------------------------------------------------------------------------------

void on(ResourceStep& s, FromUser, const Stop& stop) {
  s.effects.log(Level::debug, "stop", stop.request, {{"grace", stop.grace.in_seconds()}});
  const std::vector<TaskRecord*> components = s.parts.tasks.of(stop.request);
  for (TaskRecord* task : components) {
    if (task->is_live())
      order_end(s, *task, stop.grace, EndKind::stopped);
    else if (task->state == TaskState::parked)
      conclude(s, *task, stopped({}));
    else
      s.effects.send(asker_of(task->id), *task->outcome, task->id.request);
  }
  if (!components.empty()) return;
  Ended unknown = stopped("the resource manager knows no such request");
  unknown.request = stop.request;
  s.effects.send(asker_of({stop.request, 0}), std::move(unknown), stop.request);
}

void order_end(ResourceStep& s, TaskRecord& task, Duration grace, EndKind cause, LeaseEnd lease_end) {
  DMM_ASSERT(task.is_live());
  if (task.lease_end == LeaseEnd::released) task.lease_end = lease_end;
  if (!task.cause || cause == EndKind::stopped) task.cause = cause;
  s.parts.tasks.changed(task.id);
  const Instant kill_at = s.now + std::clamp(grace, Duration{}, wait_max);
  if (kill_at >= task.kill_at) return;
  task.kill_at = kill_at;
  task.warned = task.warned || kill_at > s.now;
  if (task.state != TaskState::ending) s.parts.tasks.enter(s.now, task, TaskState::ending);
  if (kill_at == s.now) s.parts.presence.unwatch(asker_of(task.id), task.number);
  s.effects.tasks.push_back(EndTask{task.id, kill_at - s.now});
}

void detach(ResourceStep& s, TaskRecord& task, Duration limit, LeaseEnd reason) {
  DMM_ASSERT(task.is_live());
  if (task.lease_end == LeaseEnd::released) task.lease_end = reason;
  const Instant until = s.now + std::min(limit, wait_max);
  if (until < task.due) s.parts.tasks.set_due(task, until);
  s.parts.presence.detach(asker_of(task.id), task.number);
  s.parts.tasks.changed(task.id);
  s.effects.log(Level::info, "detach", task.id.request,
                {{"lease", to_text(LeaseId{s.parts.settings.site, task.lease})}});
}

void on(ResourceStep& s, TaskEnded& report) {
  if (s.parts.cleans.is_stray(report.id)) return end_stray(s, report.id);
  TaskRecord* task = s.parts.tasks.find(report.id);
  if (task == nullptr || !task->is_live())
    return s.effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("task_ended")}});
  blame_nodes(s.parts, s.now, *task, report);
  // What heeds a warning and ends with exit status 0 within its grace has done its work. What is killed without a
  // warning doesn't exit: it had come to its end before, unnoticed.
  const bool by_itself = report.code == 0 || (!task->warned && task->cause != EndKind::stopped);
  const bool ended_before = report.kind == EndKind::exited && by_itself;
  Ended outcome;
  outcome.kind = ended_before ? report.kind : task->cause.value_or(report.kind);
  outcome.code = DMM_PLANT(exit_status_dropped) ? 0 : report.code;
  outcome.lease_end = ended_before ? LeaseEnd::released : task->lease_end;
  outcome.fault = report.fault;
  outcome.text = std::move(report.text);
  outcome.wall = report.wall;
  outcome.cpu = report.cpu;
  outcome.output_bytes = report.output_bytes;
  outcome.error_bytes = report.error_bytes;
  outcome.output = std::move(report.output);
  outcome.error = std::move(report.error);
  outcome.keeper_died = report.keeper_died && outcome.kind == EndKind::lost;
  if (outcome.keeper_died) {
    outcome.text = keeper_died_text;
    outcome.others_died = died_with_others(s.parts, task->id.request);
  }
  leave_nodes(s, *task);
  outcome.gave_back = end_with_task(s, *task);
  conclude(s, *task, std::move(outcome));
}

void end_stray(ResourceStep& s, const TaskId& id) {
  const std::vector<std::uint64_t> answers = s.parts.cleans.end_stray(id);
  const TaskRecord* known = s.parts.tasks.find(id);
  if (known == nullptr || !known->ordered) s.effects.tasks.push_back(RemoveTask{id});
  if (s.parts.cleans.has_strays()) return;
  for (const std::uint64_t clean : answers) count_down(s, clean);
  for (const Epoch epoch : s.parts.leases.keys()) s.parts.leases.look_at(epoch);
}

void leave_nodes(ResourceStep& s, TaskRecord& task) {
  DMM_ASSERT(task.is_live());
  s.parts.slots.vacate(task.nodes, task.number);
  s.parts.presence.unwatch(asker_of(task.id), task.number);
  for (const Epoch lease : s.parts.slots.leases_on(task.nodes)) s.parts.leases.look_at(lease);
  for (const TaskRecord* later : s.parts.tasks.later_attempts(task.id)) s.parts.leases.look_at(later->lease);
  for (const std::uint64_t clean : task.cleans.take()) count_down(s, clean);
}

void fail(ResourceStep& s, TaskRecord& task, StartFault fault, std::string why) {
  DMM_ASSERT(task.state == TaskState::parked);
  s.effects.log(Level::warning, "refuse", task.id.request,
                {{"message", std::string("start")}, {"fault", std::string(to_text(fault))}, {"reason", why}});
  Ended outcome;
  outcome.kind = EndKind::start_failed;
  outcome.fault = fault;
  outcome.text = std::move(why);
  conclude(s, task, std::move(outcome));
}

void record_outcome(ResourceParts& parts, Instant now, TaskRecord& task, Ended&& outcome) {
  DMM_ASSERT(task.state != TaskState::ended && !task.outcome);
  outcome.request = task.id.request;
  outcome.component = task.id.component;
  task.outcome = std::make_unique<Ended>(std::move(outcome));
  parts.tasks.enter(now, task, TaskState::ended);
  task.program.reset();
  parts.tasks.set_due(task, now + (task.ordered ? parts.settings.keep_output
                                                : std::min(parts.settings.keep_output, keep_refusal)));
  parts.leases.may_be_idle(task.lease);
}

void conclude(ResourceStep& s, TaskRecord& task, Ended&& outcome) {
  record_outcome(s.parts, s.now, task, std::move(outcome));
  s.parts.tasks.changed(task.id);
  ++(task.outcome->kind == EndKind::start_failed ? s.parts.counts.failed : s.parts.counts.ended);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "ended", task.id.request,
                  {{"component", std::int64_t{task.id.component}},
                   {"kind", std::string(to_text(task.outcome->kind))},
                   {"code", std::int64_t{task.outcome->code}},
                   {"wall", task.outcome->wall.in_seconds()}});
  s.effects.send(asker_of(task.id), *task.outcome, task.id.request);
}

void give_up_or_forget(ResourceStep& s, const TaskId& id) {
  TaskRecord& task = *s.parts.tasks.find(id);
  DMM_ASSERT(task.due == never);
  if (task.state == TaskState::ended) return remove(s, task);
  if (task.is_live()) return order_end(s, task, Duration{}, EndKind::lease_ended);
  fail(s, task, StartFault::no_lease, "the lease wasn't assigned here in time");
}

// ---- forgetting ------------------------------------------------------------------------------------------------

void on(ResourceStep& s, FromUser, const Forget& forget) {
  for (TaskRecord* task : s.parts.tasks.of(forget.request)) {
    if (task->state == TaskState::ended) {
      remove(s, *task);
      continue;
    }
    ++s.parts.ignored["not_ended"];
    s.effects.log(Level::debug, "ignore", forget.request, {{"message", std::string("forget")}});
  }
}

void remove(ResourceStep& s, TaskRecord& task) {
  if (task.ordered) s.effects.tasks.push_back(RemoveTask{task.id});
  s.parts.reads.drop(task.id);
  s.parts.tasks.changed(task.id);
  s.parts.tasks.erase(task);
}

}  // namespace dmm::resource_steps
