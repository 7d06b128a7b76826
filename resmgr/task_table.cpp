// The indices of the task table, kept in step at every change of state.
#include "resmgr/task_table.hpp"

#include "machine/assert.hpp"

namespace dmm {

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
  const auto [it, is_new] = tasks_.try_emplace(id);
  DMM_ASSERT(is_new);
  TaskRecord& task = it->second;
  task.id = id;
  task.number = ++last_number_;
  task.lease = lease;
  task.since = now;
  open_.emplace_hint(open_.end(), task.number, &task);
  by_lease_.insert({lease, false, task.number});
  return task;
}

void TaskTable::enter(Instant now, TaskRecord& task, TaskState state) {
  DMM_ASSERT(state > task.state);
  const bool was_live = task.is_live();
  task.state = state;
  task.since = now;
  if (state != TaskState::ended && task.is_live() == was_live) return;
  auto entry = by_lease_.extract({task.lease, was_live, task.number});
  live_ -= was_live;
  live_ += task.is_live();
  if (state == TaskState::ended) {
    open_.erase(task.number);
  } else {
    std::get<bool>(entry.value()) = task.is_live();
    by_lease_.insert(std::move(entry));
  }
}

void TaskTable::set_due(TaskRecord& task, Instant due) {
  if (task.due != never) dues_.erase({task.due, task.id});
  task.due = due;
  if (due != never) dues_.insert({due, task.id});
}

void TaskTable::erase(const TaskId& id) {
  const auto it = tasks_.find(id);
  DMM_ASSERT(it != tasks_.end());
  DMM_ASSERT(it->second.state == TaskState::ended);
  set_due(it->second, never);
  tasks_.erase(it);
}

TaskRecord* TaskTable::find(const TaskId& id) {
  const auto it = tasks_.find(id);
  return it == tasks_.end() ? nullptr : &it->second;
}

const TaskRecord* TaskTable::find(const TaskId& id) const {
  const auto it = tasks_.find(id);
  return it == tasks_.end() ? nullptr : &it->second;
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

std::vector<TaskId> TaskTable::between(const RequestId& first, const RequestId& end) const {
  std::vector<TaskId> ids;
  for (auto it = tasks_.lower_bound({first, 0}); it != tasks_.end() && it->first.request < end; ++it)
    ids.push_back(it->first);
  return ids;
}

std::vector<TaskId> TaskTable::of(const RequestId& request) const {
  std::vector<TaskId> ids;
  for (auto it = tasks_.lower_bound({request, 0}); it != tasks_.end() && it->first.request == request; ++it)
    ids.push_back(it->first);
  return ids;
}

std::vector<TaskId> TaskTable::earlier_attempts(const RequestId& request) const {
  RequestId first = request;
  first.attempt = 0;
  return between(first, request);
}

std::vector<TaskId> TaskTable::later_attempts(const RequestId& request) const {
  if (request.attempt == UINT32_MAX) return {};
  RequestId first = request;
  first.attempt += 1;
  RequestId last = request;
  last.attempt = UINT32_MAX;
  std::vector<TaskId> ids = between(first, last);
  for (const TaskId& id : of(last)) ids.push_back(id);
  return ids;
}

std::vector<std::uint64_t> TaskTable::of(Epoch lease, bool live) const {
  std::vector<std::uint64_t> numbers;
  for (auto it = by_lease_.lower_bound({lease, live, 0}); it != by_lease_.end(); ++it) {
    if (std::get<0>(*it) != lease || std::get<1>(*it) != live) break;
    numbers.push_back(std::get<2>(*it));
  }
  return numbers;
}

std::vector<std::uint64_t> TaskTable::parked_of(Epoch lease) const { return of(lease, false); }

std::vector<std::uint64_t> TaskTable::live_of(Epoch lease) const { return of(lease, true); }

bool TaskTable::has_open(Epoch lease) const {
  const auto it = by_lease_.lower_bound({lease, false, 0});
  return it != by_lease_.end() && std::get<0>(*it) == lease;
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
    due.push_back(first->second);
    tasks_.at(first->second).due = never;
    dues_.erase(first);
  }
  return due;
}

void TaskTable::check_invariants() const {
  std::uint32_t live = 0;
  std::size_t open = 0;
  std::size_t dues = 0;
  for (const auto& [id, task] : tasks_) {
    const bool is_open = task.state != TaskState::ended;
    DMM_ASSERT(task.id == id);
    DMM_ASSERT(is_open == open_.contains(task.number));
    DMM_ASSERT(is_open == by_lease_.contains({task.lease, task.is_live(), task.number}));
    DMM_ASSERT((task.due != never) == dues_.contains({task.due, id}));
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
