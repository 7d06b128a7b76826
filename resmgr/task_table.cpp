// The indices of the task table, kept in step at every change of state.
#include "resmgr/task_table.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace dmm {
namespace {

bool is_same_job(const RequestId& a, const RequestId& b) {
  return a.job == b.job && a.user == b.user && a.site == b.site;
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
  const bool is_new = tasks_.try_emplace(TaskById(task.id), std::move(added)).second;
  DMM_ASSERT(is_new);
  open_.emplace_hint(open_.end(), task.number, &task);
  by_lease_[{lease, task.number}] = &task;
  return task;
}

void TaskTable::enter(Instant now, TaskRecord& task, TaskState state) {
  DMM_ASSERT(state > task.state);
  live_ -= task.is_live();
  task.state = state;
  task.since = now;
  live_ += task.is_live();
  if (state != TaskState::ended) return;
  open_.erase(task.number);
  by_lease_.erase({task.lease, task.number});
}

void TaskTable::set_due(TaskRecord& task, Instant due) {
  if (task.due != never) dues_.erase({task.due, &task});
  task.due = due;
  if (due != never) dues_.insert({due, &task});
}

void TaskTable::erase(TaskRecord& task) {
  DMM_ASSERT(task.state == TaskState::ended);
  set_due(task, never);
  const auto it = tasks_.find(TaskById(task.id));
  DMM_ASSERT(it != tasks_.end());
  tasks_.erase(it);
}

TaskRecord* TaskTable::find(const TaskId& id) {
  const auto it = tasks_.find(TaskById(id));
  return it == tasks_.end() ? nullptr : it->second.get();
}

const TaskRecord* TaskTable::find(const TaskId& id) const {
  const auto it = tasks_.find(TaskById(id));
  return it == tasks_.end() ? nullptr : it->second.get();
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

std::vector<TaskRecord*> TaskTable::of(const RequestId& request) const {
  std::vector<TaskRecord*> tasks;
  const TaskId first{request, 0};
  for (auto it = tasks_.lower_bound(TaskById(first)); it != tasks_.end() && it->second->id.request == request; ++it)
    tasks.push_back(it->second.get());
  return tasks;
}

std::vector<TaskRecord*> TaskTable::earlier_attempts(const TaskId& id) const {
  std::vector<TaskRecord*> tasks;
  for (auto it = tasks_.lower_bound(TaskById(id)); it != tasks_.begin();) {
    TaskRecord& task = *(--it)->second;
    if (!is_same_job(task.id.request, id.request)) break;
    if (task.id.request.attempt < id.request.attempt) tasks.push_back(&task);
  }
  std::reverse(tasks.begin(), tasks.end());
  return tasks;
}

std::vector<TaskRecord*> TaskTable::later_attempts(const TaskId& id) const {
  std::vector<TaskRecord*> tasks;
  for (auto it = tasks_.upper_bound(TaskById(id)); it != tasks_.end(); ++it) {
    TaskRecord& task = *it->second;
    if (!is_same_job(task.id.request, id.request)) break;
    if (task.id.request.attempt > id.request.attempt) tasks.push_back(&task);
  }
  return tasks;
}

std::vector<std::uint64_t> TaskTable::of(Epoch lease, bool live) const {
  std::vector<std::uint64_t> numbers;
  if (live ? live_ == 0 : open_.size() == live_) return numbers;
  for (auto it = by_lease_.lower_bound({lease, 0}); it != by_lease_.end() && it->first.first == lease; ++it)
    if (it->second->is_live() == live) numbers.push_back(it->first.second);
  return numbers;
}

std::vector<std::uint64_t> TaskTable::parked_of(Epoch lease) const { return of(lease, false); }

std::vector<std::uint64_t> TaskTable::live_of(Epoch lease) const { return of(lease, true); }

bool TaskTable::has_open(Epoch lease) const {
  const auto it = by_lease_.lower_bound({lease, 0});
  return it != by_lease_.end() && it->first.first == lease;
}

std::vector<std::uint64_t> TaskTable::open() const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(open_.size());
  for (const auto& [number, id] : open_) numbers.push_back(number);
  return numbers;
}

std::vector<TaskId> TaskTable::take_due(Instant now) {
  std::vector<TaskId> due;
  while (next_due() <= now) {
    const auto first = dues_.begin();
    due.push_back(first->task->id);
    first->task->due = never;
    dues_.erase(first);
  }
  return due;
}

void TaskTable::check_invariants() const {
  std::uint32_t live = 0;
  std::size_t open = 0;
  std::size_t dues = 0;
  for (const auto& [key, entry] : tasks_) {
    TaskRecord& task = *entry;
    const bool is_open = task.state != TaskState::ended;
    DMM_ASSERT(key.id == &task.id && key.job == task.id.request.job);
    DMM_ASSERT(is_open == open_.contains(task.number));
    DMM_ASSERT(is_open == by_lease_.contains({task.lease, task.number}));
    DMM_ASSERT((task.due != never) == dues_.contains({task.due, &task}));
    DMM_ASSERT(task.state != TaskState::ending || task.cause.has_value());
    live += task.is_live();
    open += is_open;
    dues += task.due != never;
  }
  DMM_ASSERT(live == live_);
  DMM_ASSERT(open == open_.size() && open == by_lease_.size());
  DMM_ASSERT(dues == dues_.size());
}

}  // namespace dmm
