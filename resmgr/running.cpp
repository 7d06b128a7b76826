// What the resource manager does for job managers: starts, ends and remembers tasks, and brings their output back.
// Every Start gets exactly one outcome, which is kept so that a repeated Start gets the same answer.
#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {
namespace {

/// Nothing goes on longer after its end was said, whatever a message says.
constexpr Duration wait_max = seconds(24 * 3600);
/// What came to nothing left no output: its outcome is kept for as long as its job manager may ask again.
constexpr Duration keep_refusal = seconds(600);

/// Only the job manager that a request names may speak of it, so the request says whom to answer.
Party asker_of(const TaskId& id) { return job_manager_of(id.request); }

/// The outcome of a task that was stopped before it ran.
Ended stopped(std::string text) {
  Ended outcome;
  outcome.kind = EndKind::stopped;
  outcome.text = std::move(text);
  return outcome;
}

}  // namespace

// ---- starting --------------------------------------------------------------------------------------------------

void ResourceManager::on(Instant now, FromUser, Start& start, Effects& effects) {
  const TaskId id{start.request, start.component};
  if (TaskRecord* known = tasks_.find(id)) return answer_again(*known, start, effects);
  if (effects.wants(Level::debug))
    effects.log(Level::debug, "start", id.request,
                {{"component", std::int64_t{id.component}},
                 {"lease", to_text(start.lease)},
                 {"nodes", to_text(start.nodes)}});
  const bool is_outdated = !tasks_.later_attempts(id).empty();
  TaskRecord& task = tasks_.add(now, id, start.lease.epoch);
  if (is_outdated) return conclude(now, task, stopped("a later attempt at the job was started here"), effects);
  replace_earlier_attempts(now, id, effects);
  if (stopping_) return fail(now, task, StartFault::no_lease, "the resource manager is being stopped", effects);
  if (const std::string fault = fault_of(start.program); !fault.empty())
    return fail(now, task, StartFault::executable_missing, fault, effects);
  if (!slots_.has(start.nodes)) return fail(now, task, StartFault::no_lease, "no such nodes", effects);
  if (start.lease.owner != settings_.site)
    return fail(now, task, StartFault::no_lease, "the lease is of another site", effects);
  if (tasks_.parked_of(asker_of(id)) >= settings_.parked_max || tasks_.parked_bytes() > settings_.parked_bytes_max)
    return fail(now, task, StartFault::resources, "too many starts wait here for their leases", effects);
  task.nodes = std::move(start.nodes);
  task.streams = start.streams;
  tasks_.set_program(task, std::move(start.program));
  touched_.add(task.lease);
}

/// A Start came again: the asker doesn't know what became of the first. While it is undecided, the answer will
/// come.
void ResourceManager::answer_again(TaskRecord& task, const Start& start, Effects& effects) {
  if (task.state == TaskState::ended) return effects.send(asker_of(task.id), *task.outcome, task.id.request);
  task.streams = start.streams;
  for (TaskRecord::Growth& growth : task.growth) growth.told = growth.read = 0;
  if (!task.started) return;
  effects.send(asker_of(task.id), Started{task.id.request, task.id.component, task.process}, task.id.request);
  tell_growth(task, effects);
}

/// A job runs once at a time: with a later attempt, what is left of the earlier ones is killed, all components of
/// it.
void ResourceManager::replace_earlier_attempts(Instant now, const TaskId& id, Effects& effects) {
  for (TaskRecord* task : tasks_.earlier_attempts(id)) {
    if (task->is_live())
      order_end(now, *task, Duration{}, EndKind::stopped, effects);
    else if (task->state == TaskState::parked)
      conclude(now, *task, stopped("a later attempt at the job was started here"), effects);
  }
}

/// Only users of the site that holds the lease may start jobs under it, and of the owner's own only who was given it.
bool ResourceManager::is_for(const Lease& lease, const RequestId& request) {
  return request.site == lease.holder && (lease.user.empty() || request.user == lease.user);
}

ResourceManager::Readiness ResourceManager::judge(const TaskRecord& task) const {
  const Lease* lease = leases_.find(task.lease);
  if (lease != nullptr && lease->fenced) return Readiness::no_lease;
  if (lease != nullptr && !is_for(*lease, task.id.request)) return Readiness::not_theirs;
  if (!slots_.has(task.nodes)) return Readiness::no_lease;
  if (!slots_.admit(task.nodes, task.lease)) return Readiness::no_lease;
  if (!slots_.all_under(task.nodes, task.lease)) return Readiness::await_lease;
  if (!strays_.empty()) return Readiness::await_nodes;
  for (const TaskRecord* earlier : tasks_.earlier_attempts(task.id))
    if (earlier->is_live()) return Readiness::await_nodes;
  Readiness readiness = Readiness::start;
  for (const std::uint64_t number : slots_.tasks_on(task.nodes)) {
    if (tasks_.at(number).state != TaskState::ending) return Readiness::nodes_busy;
    readiness = Readiness::await_nodes;
  }
  return readiness;
}

/// Does with a parked Start what its lease and its nodes now allow.
void ResourceManager::consider(Instant now, TaskRecord& task, Effects& effects) {
  if (task.state != TaskState::parked) return;
  switch (judge(task)) {
    case Readiness::start: return launch(now, task, effects);
    case Readiness::await_nodes: return tasks_.set_due(task, never);
    case Readiness::await_lease:
      if (task.due == never) tasks_.set_due(task, now + settings_.park);
      return;
    case Readiness::no_lease:
      return fail(now, task, StartFault::no_lease, "the lease isn't assigned here any more", effects);
    case Readiness::not_theirs:
      return fail(now, task, StartFault::no_lease, "the lease is another user's", effects);
    case Readiness::nodes_busy: return fail(now, task, StartFault::nodes_busy, "a job runs on the nodes", effects);
  }
}

void ResourceManager::launch(Instant now, TaskRecord& task, Effects& effects) {
  DMM_ASSERT(task.state == TaskState::parked && !stopping_);
  tasks_.set_due(task, never);
  slots_.occupy(task.nodes, task.lease, task.number);
  tasks_.enter(now, task, TaskState::starting);
  presence_.watch(now, asker_of(task.id), task.number);
  task.ordered = true;
  task.own_directory = task.program->working_directory.empty();
  // The keeper's deadline may be long past when nothing ran: it is moved before there is something to end.
  keep_tasks(now, effects);
  effects.tasks.push_back(StartTask{task.id, std::move(*std::exchange(task.program, nullptr)),
                                    {settings_.site, task.lease}, task.nodes});
  changed_tasks_.add(task.id);
}

void ResourceManager::on(Instant now, const TaskStarted& report, Effects& effects) {
  TaskRecord* task = tasks_.find(report.id);
  if (task == nullptr || !task->is_live() || task->started)
    return effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("task_started")}});
  task->started = true;
  task->process = report.process;
  changed_tasks_.add(report.id);
  ++counts_.started;
  if (task->state == TaskState::starting) tasks_.enter(now, *task, TaskState::running);
  if (effects.wants(Level::info))
    effects.log(Level::info, "started", report.id.request,
                {{"component", std::int64_t{report.id.component}},
                 {"process", std::int64_t{report.process}},
                 {"isolation", report.isolation},
                 {"nodes", to_text(task->nodes)}});
  effects.send(asker_of(task->id), Started{task->id.request, task->id.component, task->process}, task->id.request);
}

// ---- ending ----------------------------------------------------------------------------------------------------

void ResourceManager::on(Instant now, FromUser, const Stop& stop, Effects& effects) {
  effects.log(Level::debug, "stop", stop.request, {{"grace", stop.grace.in_seconds()}});
  const std::vector<TaskRecord*> components = tasks_.of(stop.request);
  for (TaskRecord* task : components) {
    if (task->is_live())
      order_end(now, *task, stop.grace, EndKind::stopped, effects);
    else if (task->state == TaskState::parked)
      conclude(now, *task, stopped({}), effects);
    else
      effects.send(asker_of(task->id), *task->outcome, task->id.request);
  }
  if (!components.empty()) return;
  Ended unknown = stopped("the resource manager knows no such request");
  unknown.request = stop.request;
  effects.send(asker_of({stop.request, 0}), std::move(unknown), stop.request);
}

/// Orders a task's end, again only if that makes it sooner. The job manager's own Stop is the cause before all
/// others.
void ResourceManager::order_end(Instant now, TaskRecord& task, Duration grace, EndKind cause, Effects& effects,
                                LeaseEnd lease_end) {
  DMM_ASSERT(task.is_live());
  if (task.lease_end == LeaseEnd::released) task.lease_end = lease_end;
  if (!task.cause || cause == EndKind::stopped) task.cause = cause;
  changed_tasks_.add(task.id);
  const Instant kill_at = now + std::clamp(grace, Duration{}, wait_max);
  if (kill_at >= task.kill_at) return;
  task.kill_at = kill_at;
  task.warned = task.warned || kill_at > now;
  if (task.state != TaskState::ending) tasks_.enter(now, task, TaskState::ending);
  if (kill_at == now) presence_.unwatch(asker_of(task.id), task.number);
  effects.tasks.push_back(EndTask{task.id, kill_at - now});
}

/// Its lease is over, but its job manager may still be there: it goes on while that is heard, and no longer than the
/// limit, however often that is said.
void ResourceManager::detach(Instant now, TaskRecord& task, Duration limit, LeaseEnd reason, Effects& effects) {
  DMM_ASSERT(task.is_live());
  if (task.lease_end == LeaseEnd::released) task.lease_end = reason;
  const Instant until = now + std::min(limit, wait_max);
  if (until < task.due) tasks_.set_due(task, until);
  presence_.detach(asker_of(task.id), task.number);
  changed_tasks_.add(task.id);
  effects.log(Level::info, "detach", task.id.request, {{"lease", to_text(LeaseId{settings_.site, task.lease})}});
}

void ResourceManager::on(Instant now, TaskEnded& report, Effects& effects) {
  if (strays_.contains(report.id)) return end_stray(report.id, effects);
  TaskRecord* task = tasks_.find(report.id);
  if (task == nullptr || !task->is_live())
    return effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("task_ended")}});
  judge_nodes(now, *task, report);
  // What heeds a warning and ends with exit status 0 within its grace has done its work. What is killed without a
  // warning doesn't exit: it had come to its end before, unnoticed.
  const bool by_itself = task->warned ? report.code == 0 : task->cause != EndKind::stopped;
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
    outcome.others_died = died_with_others(task->id.request);
  }
  leave_nodes(*task, effects);
  outcome.gave_back = end_with_task(*task, effects);
  conclude(now, *task, std::move(outcome), effects);
}

/// Nothing is left of a task that the ledger didn't know. With the last of them, all nodes may be used.
void ResourceManager::end_stray(const TaskId& id, Effects& effects) {
  strays_.erase(id);
  const TaskRecord* known = tasks_.find(id);
  if (known == nullptr || !known->ordered) effects.tasks.push_back(RemoveTask{id});
  if (!strays_.empty()) return;
  for (const std::uint64_t clean : std::exchange(stray_cleans_, {})) count_down(clean, effects);
  for (const Epoch epoch : leases_.keys()) touched_.add(epoch);
}

/// Nothing of the task is left: its nodes are free for what waits for them, and the owner hears it if it asked.
void ResourceManager::leave_nodes(TaskRecord& task, Effects& effects) {
  slots_.vacate(task.nodes, task.number);
  presence_.unwatch(asker_of(task.id), task.number);
  for (const Epoch lease : slots_.leases_on(task.nodes)) touched_.add(lease);
  for (const TaskRecord* later : tasks_.later_attempts(task.id)) touched_.add(later->lease);
  for (const std::uint64_t clean : std::exchange(task.cleans, {})) count_down(clean, effects);
}

/// Answers a Start that came to nothing here.
void ResourceManager::fail(Instant now, TaskRecord& task, StartFault fault, std::string why, Effects& effects) {
  DMM_ASSERT(task.state == TaskState::parked);
  effects.log(Level::warning, "refuse", task.id.request,
              {{"message", std::string("start")}, {"fault", std::string(to_text(fault))}, {"reason", why}});
  Ended outcome;
  outcome.kind = EndKind::start_failed;
  outcome.fault = fault;
  outcome.text = std::move(why);
  conclude(now, task, std::move(outcome), effects);
}

void ResourceManager::record_outcome(Instant now, TaskRecord& task, Ended&& outcome) {
  outcome.request = task.id.request;
  outcome.component = task.id.component;
  task.outcome = std::make_unique<Ended>(std::move(outcome));
  tasks_.enter(now, task, TaskState::ended);
  task.program.reset();
  tasks_.set_due(task, now + (task.ordered ? settings_.keep_output : std::min(settings_.keep_output, keep_refusal)));
  perhaps_idle_.add(task.lease);
}

/// Records the outcome and tells the job manager.
void ResourceManager::conclude(Instant now, TaskRecord& task, Ended&& outcome, Effects& effects) {
  record_outcome(now, task, std::move(outcome));
  changed_tasks_.add(task.id);
  ++(task.outcome->kind == EndKind::start_failed ? counts_.failed : counts_.ended);
  if (effects.wants(Level::info))
    effects.log(Level::info, "ended", task.id.request,
                {{"component", std::int64_t{task.id.component}},
                 {"kind", std::string(to_text(task.outcome->kind))},
                 {"code", std::int64_t{task.outcome->code}},
                 {"wall", task.outcome->wall.in_seconds()}});
  effects.send(asker_of(task.id), *task.outcome, task.id.request);
}

/// A due time was reached: a parked Start has waited long enough for its lease, a detached task has gone on long
/// enough, an outcome was kept long enough.
void ResourceManager::give_up_or_forget(Instant now, const TaskId& id, Effects& effects) {
  TaskRecord& task = *tasks_.find(id);
  if (task.state == TaskState::ended) return remove(task, effects);
  if (task.is_live()) return order_end(now, task, Duration{}, EndKind::lease_ended, effects);
  fail(now, task, StartFault::no_lease, "the lease wasn't assigned here in time", effects);
}

// ---- output ----------------------------------------------------------------------------------------------------

/// Also of a component that runs; of one that is over, the outcome is kept for as long as somebody fetches.
void ResourceManager::on(Instant now, FromUser, const Fetch& fetch, Effects& effects) {
  const TaskId id{fetch.request, fetch.component};
  TaskRecord* task = tasks_.find(id);
  if (task != nullptr && task->state == TaskState::parked) {
    effects.send(asker_of(id), Fault{Fetch::type, "the component hasn't begun"}, fetch.request);
    return;
  }
  if (task != nullptr && task->state == TaskState::ended && task->ordered)
    tasks_.set_due(*task, now + settings_.keep_output);
  // A question that came twice is answered once.
  const bool is_new = reads_.insert_or_assign({id, fetch.stream, fetch.offset}, fetch.unkept).second;
  if (task == nullptr || !task->ordered || fetch.stream > Stream::error) {
    OutputRead nothing{id, fetch.stream, fetch.offset, {}, 0};
    return on(now, nothing, effects);
  }
  if (is_new) effects.tasks.push_back(ReadOutput{id, fetch.stream, fetch.offset});
}

void ResourceManager::on(Instant, OutputRead& report, Effects& effects) {
  const auto read = reads_.find({report.id, report.stream, report.offset});
  if (read == reads_.end())
    return effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("output_read")}});
  const bool unkept = read->second;
  reads_.erase(read);
  TaskRecord* task = tasks_.find(report.id);
  const std::uint64_t end = report.offset + report.data.size();
  const bool is_live = task != nullptr && task->is_live();
  const bool last = !is_live && (report.data.empty() || end >= report.size);
  const RequestId& request = report.id.request;
  if (unkept)
    effects.send(asker_of(report.id), Piece{request, report.id.component, report.stream, report.offset,
                                            std::move(report.data), last, report.size}, request);
  else
    effects.send(asker_of(report.id), Chunk{request, report.id.component, report.stream, report.offset,
                                            std::move(report.data), last, false}, request);
  if (!is_live || report.stream > Stream::error) return;
  TaskRecord::Growth& growth = task->growth.at(static_cast<std::size_t>(report.stream));
  growth.told = std::max(growth.told, report.size);  // the piece said so
  growth.read = std::max(growth.read, end);
  tell_growth(*task, effects);
}

void ResourceManager::on(Instant, const OutputGrew& report, Effects& effects) {
  TaskRecord* task = tasks_.find(report.id);
  if (task == nullptr || !task->is_live()) return;
  task->growth[0].written = report.output_bytes;
  task->growth[1].written = report.error_bytes;
  tell_growth(*task, effects);
}

/// Told once, until the job manager has read as far as it was told: who reads slowly isn't told of each line.
void ResourceManager::tell_growth(TaskRecord& task, Effects& effects) {
  if (!task.streams) return;
  bool is_fresh = false;
  for (const TaskRecord::Growth& growth : task.growth) {
    if (growth.told > growth.read) return;
    is_fresh = is_fresh || growth.written > growth.told;
  }
  if (!is_fresh) return;
  for (TaskRecord::Growth& growth : task.growth) growth.told = std::max(growth.told, growth.written);
  Grown grown{task.id.request, task.id.component, task.growth[0].written, task.growth[1].written};
  effects.send(asker_of(task.id), std::move(grown), task.id.request);
}

void ResourceManager::on(Instant, FromUser, const Forget& forget, Effects& effects) {
  for (TaskRecord* task : tasks_.of(forget.request)) {
    if (task->state == TaskState::ended) {
      remove(*task, effects);
      continue;
    }
    ++ignored_["not_ended"];
    effects.log(Level::debug, "ignore", forget.request, {{"message", std::string("forget")}});
  }
}

/// The outcome and the directory go; questions about it that are still open stay unanswered.
void ResourceManager::remove(TaskRecord& task, Effects& effects) {
  if (task.ordered) effects.tasks.push_back(RemoveTask{task.id});
  auto read = reads_.lower_bound({task.id, Stream::output, 0});
  while (read != reads_.end() && std::get<TaskId>(read->first) == task.id) read = reads_.erase(read);
  changed_tasks_.add(task.id);
  tasks_.erase(task);
}

}  // namespace dmm
