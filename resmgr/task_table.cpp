// The indices of the task table, kept in step at every change of state.
#include "resmgr/task_table.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Where a task of this name is among those of its job, or belongs.
template <class Tasks>
auto place_of(Tasks& tasks, const TaskId& id) {
  return std::lower_bound(tasks.begin(), tasks.end(), id,
                          [](const auto& task, const TaskId& wanted) { return task->id < wanted; });
}

/// What a parked program takes, about.
std::uint64_t bytes_of(const Program& program) {
  std::uint64_t bytes = sizeof program + program.script.size() + program.input.size();
  for (const std::string& text : program.arguments) bytes += sizeof text + text.size();
  for (const std::string& text : program.environment) bytes += sizeof text + text.size();
  return bytes;
}

/// What the tasks of all attempts at a job are found by.
RequestId job_of(const RequestId& request) {
  RequestId first = request;
  first.attempt = 1;
  return first;
}

}  // namespace

std::string_view to_text(TaskState state) {
  switch (state) {
    case TaskState::parked: return "parked";
    case TaskState::starting: return "starting";
    case TaskState::running: return "running";
    case TaskState::ending: return "ending";
    case TaskState::ended: return "ended";
  }
  return "unknown";
}

TaskRecord& TaskTable::add(Instant now, const TaskId& id, Epoch lease) {
  auto added = std::make_unique<TaskRecord>();
  TaskRecord& task = *added;
  task.id = id;
  task.number = ++last_number_;
  task.lease = lease;
  task.since = now;
  Tasks& tasks = jobs_[job_of(id.request)];
  const auto place = place_of(tasks, id);
  DMM_ASSERT(place == tasks.end() || (*place)->id != id);
  tasks.insert(place, std::move(added));
  open_.emplace_hint(open_.end(), task.number, &task);
  DMM_ASSERT(open_.rbegin()->second == &task);
  by_lease_[lease].push_back(&task);
  return task;
}

void TaskTable::enter(Instant now, TaskRecord& task, TaskState state) {
  DMM_ASSERT(state > task.state);
  DMM_ASSERT(state != TaskState::ended || (task.outcome && task.cleans.empty()));
  live_ -= task.is_live();
  if (task.state == TaskState::parked && task.program) {
    const std::uint64_t bytes = bytes_of(*task.program);
    DMM_ASSERT(bytes <= parked_bytes_);
    parked_bytes_ -= bytes;
    const Party user = job_manager_of(task.id.request);
    if (--parked_of_.at(user) == 0) parked_of_.erase(user);
  }
  if (state == TaskState::ended) set_due(task, never);
  task.state = state;
  task.since = now;
  live_ += task.is_live();
  DMM_ASSERT(live_ <= open_.size());
  if (state != TaskState::ended) return;
  ++ended_of_[task.lease];
  const bool was_open = open_.erase(task.number) == 1;
  DMM_ASSERT(was_open);
  auto& of_lease = by_lease_.at(task.lease);
  const auto place = std::find(of_lease.begin(), of_lease.end(), &task);
  DMM_ASSERT(place != of_lease.end());
  of_lease.erase(place);
  if (of_lease.empty()) by_lease_.erase(task.lease);
}

void TaskTable::set_due(TaskRecord& task, Instant due) {
  if (task.due != never) {
    const bool was_there = dues_of(task).erase({task.due, &task}) == 1;
    DMM_ASSERT(was_there);
  }
  task.due = due;
  if (due == never) return;
  const bool is_new = dues_of(task).insert({due, &task}).second;
  DMM_ASSERT(is_new);
}

void TaskTable::set_program(TaskRecord& task, Program program) {
  DMM_ASSERT(task.state == TaskState::parked && !task.program);
  task.program = std::make_unique<Program>(std::move(program));
  parked_bytes_ += bytes_of(*task.program);
  DMM_ASSERT(parked_bytes_ >= sizeof(Program) && open_.contains(task.number));
  ++parked_of_[job_manager_of(task.id.request)];
}

std::uint32_t TaskTable::parked_of(const Party& job_manager) const {
  const std::uint32_t* parked = parked_of_.find(job_manager);
  DMM_ASSERT(!parked || *parked > 0);
  return parked ? *parked : 0;
}

std::size_t TaskTable::ended_of(Epoch lease) const {
  const std::size_t* ended = ended_of_.find(lease);
  DMM_ASSERT(!ended || *ended > 0);
  return ended ? *ended : 0;
}

Instant TaskTable::next_due() const {
  const Instant open = dues_.empty() ? never : dues_.begin()->at;
  return ended_dues_.empty() ? open : std::min(open, ended_dues_.begin()->at);
}

void TaskTable::erase(TaskRecord& task) {
  DMM_ASSERT(task.state == TaskState::ended && !open_.contains(task.number));
  DMM_ASSERT(!task.program && task.outcome);
  set_due(task, never);
  if (--ended_of_.at(task.lease) == 0) ended_of_.erase(task.lease);
  const RequestId job = job_of(task.id.request);
  Tasks& tasks = jobs_.at(job);
  const auto place = place_of(tasks, task.id);
  DMM_ASSERT(place != tasks.end() && place->get() == &task);
  tasks.erase(place);
  if (tasks.empty()) jobs_.erase(job);
}

TaskRecord* TaskTable::found(const TaskId& id) const {
  const Tasks* tasks = jobs_.find(job_of(id.request));
  if (tasks == nullptr) return nullptr;
  const auto place = place_of(*tasks, id);
  return place != tasks->end() && (*place)->id == id ? place->get() : nullptr;
}

TaskRecord& TaskTable::at(std::uint64_t number) {
  const auto it = open_.find(number);
  DMM_ASSERT(it != open_.end());
  return *it->second;
}

const TaskRecord& TaskTable::at(std::uint64_t number) const {
  const auto it = open_.find(number);
  DMM_ASSERT(it != open_.end());
  return *it->second;
}

template <class Chosen>
std::vector<TaskRecord*> TaskTable::of_job(const RequestId& request, Chosen is_chosen) const {
  std::vector<TaskRecord*> chosen;
  if (const Tasks* tasks = jobs_.find(job_of(request)))
    for (const auto& task : *tasks)
      if (is_chosen(task->id.request.attempt)) chosen.push_back(task.get());
  return chosen;
}

std::vector<TaskRecord*> TaskTable::of(const RequestId& request) const {
  return of_job(request, [&](std::uint32_t attempt) { return attempt == request.attempt; });
}

std::vector<TaskRecord*> TaskTable::earlier_attempts(const TaskId& id) const {
  return of_job(id.request, [&](std::uint32_t attempt) { return attempt < id.request.attempt; });
}

std::vector<TaskRecord*> TaskTable::later_attempts(const TaskId& id) const {
  return of_job(id.request, [&](std::uint32_t attempt) { return attempt > id.request.attempt; });
}

std::vector<TaskRecord*> TaskTable::sorted() const {
  std::vector<TaskRecord*> all;
  for (const RequestId& job : jobs_.keys())
    for (const auto& task : jobs_.at(job)) all.push_back(task.get());
  return all;
}

std::vector<std::uint64_t> TaskTable::of(Epoch lease, bool live) const {
  DMM_ASSERT(live_ <= open_.size());
  std::vector<std::uint64_t> numbers;
  if (live ? live_ == 0 : open_.size() == live_) return numbers;
  if (const auto* tasks = by_lease_.find(lease))
    for (const TaskRecord* task : *tasks)
      if (task->is_live() == live) numbers.push_back(task->number);
  return numbers;
}

std::vector<std::uint64_t> TaskTable::parked_of(Epoch lease) const { return of(lease, false); }

std::vector<std::uint64_t> TaskTable::live_of(Epoch lease) const { return of(lease, true); }

bool TaskTable::has_open(Epoch lease) const { return by_lease_.contains(lease); }

std::vector<std::uint64_t> TaskTable::open() const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(open_.size());
  for (const auto& [number, id] : open_) numbers.push_back(number);
  return numbers;
}

std::vector<TaskId> TaskTable::take_due(Instant now) {
  std::vector<TaskId> due;
  for (DenseSet<Due>* dues : {&dues_, &ended_dues_})
    while (!dues->empty() && dues->begin()->at <= now) {
      const auto first = dues->begin();
      DMM_ASSERT(first->task->due == first->at);
      due.push_back(first->task->id);
      first->task->due = never;
      dues->erase(first);
    }
  DMM_ASSERT(next_due() > now);
  return due;
}

void TaskTable::check_invariants() const {
  std::uint32_t live = 0;
  std::size_t open = 0;
  std::size_t dues = 0;
  std::uint64_t parked_bytes = 0;
  std::size_t listed_open = 0, ended = 0;
  for (TaskRecord* entry : sorted()) {
    const TaskRecord& task = *entry;
    const bool is_open = task.state != TaskState::ended;
    DMM_ASSERT(find(task.id) == entry);
    DMM_ASSERT(is_open == open_.contains(task.number));
    const auto* of_lease = by_lease_.find(task.lease);
    DMM_ASSERT(is_open == (of_lease && std::find(of_lease->begin(), of_lease->end(), entry) != of_lease->end()));
    DMM_ASSERT((task.due != never) == (is_open ? dues_ : ended_dues_).contains({task.due, entry}));
    DMM_ASSERT(!task.program || task.state == TaskState::parked);
    if (task.program) parked_bytes += bytes_of(*task.program);
    ++(is_open ? listed_open : ended);
    DMM_ASSERT(task.state != TaskState::ending || task.cause.has_value());
    live += task.is_live();
    open += is_open;
    dues += task.due != never;
  }
  DMM_ASSERT(live == live_);
  std::size_t listed = 0;
  for (const Epoch lease : by_lease_.keys()) listed += by_lease_.at(lease).size();
  DMM_ASSERT(open == open_.size() && open == listed);
  DMM_ASSERT(dues == dues_.size() + ended_dues_.size());
  DMM_ASSERT(parked_bytes == parked_bytes_ && listed_open == open);
  for (const Epoch lease : ended_of_.keys()) ended -= ended_of_.at(lease);
  DMM_ASSERT(ended == 0);
}

}  // namespace dmm
