// What the resource manager keeps in its ledger, and how it goes on from it after a restart. The backend says which
// tasks are still there: what runs goes on, what is gone is lost, and what nobody knows of is ended.
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {
namespace {

TaskRow row_of(const TaskRecord& task) {
  const Instant detached_until = task.is_live() ? task.due : never;
  return {task.id.request, task.id.component, task.lease,   task.nodes,     task.state,
          task.ordered,    task.process,      task.cause,   task.kill_at,   detached_until,
          task.outcome ? *task.outcome : Ended{}, task.lease_end};
}

template <class Lease>
AssignmentRecord row_of(Epoch epoch, const Lease& lease) {
  return {epoch, lease.holder, lease.nodes, lease.alone, lease.fenced, lease.user, lease.patience};
}

FenceRecord fence_row(const NodeNumbers& numbers, std::uint32_t node, Epoch highest) {
  return {node, highest, numbers.is_named() ? numbers.name_of(node) : std::string()};
}

/// A row of which only the key counts.
TaskRow row_named(const TaskId& id) {
  TaskRow row;
  row.request = id.request;
  row.component = id.component;
  return row;
}

/// The users of tasks that had no end and of which the backend has nothing any more.
std::set<Party> users_of_gone(const std::vector<ResourceRecord>& rows, const std::map<TaskId, std::int32_t>& found) {
  std::set<Party> users;
  for (const ResourceRecord& row : rows)
    if (const auto* task = std::get_if<TaskRow>(&row);
        task && task->state != TaskState::ended && !found.contains({task->request, task->component}))
      users.insert(job_manager_of(task->request));
  return users;
}

}  // namespace

// ---- writing ---------------------------------------------------------------------------------------------------

std::vector<ResourceRecord> ResourceManager::records() const {
  std::vector<ResourceRecord> rows;
  for (const auto& [node, highest] : slots_.fences())
    if (node < numbers_.size()) rows.emplace_back(fence_row(numbers_, node, highest));
  for (const auto& [key, row] : gone_fences_) rows.emplace_back(row);
  if (numbers_.is_named())
    for (auto& [node, name] : numbers_.all()) rows.emplace_back(NodeRecord{node, std::move(name)});
  for (const Epoch epoch : leases_.keys()) rows.emplace_back(row_of(epoch, leases_.at(epoch)));
  for (const TaskRecord& task : tasks_.all())
    if (task.state != TaskState::parked) rows.emplace_back(row_of(task));
  for (const auto& [node, suspect] : black_holes_.all()) rows.emplace_back(SuspectRecord{node, suspect});
  return rows;
}

/// Each changed row once. A node's highest epoch is nowhere else: it must survive the machine.
void ResourceManager::record_changes(const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks,
                                     Effects& effects) {
  std::set<std::uint32_t> suspects = black_holes_.take_changed();
  auto& ledger = effects.ledger;
  if (!ledger.wanted) return;
  for (const std::uint32_t node : std::exchange(changed_numbers_, {})) {
    std::string name = numbers_.is_named() ? numbers_.name_of(node) : std::string();
    if (!name.empty())
      ledger.put(NodeRecord{node, std::move(name)}, Grade::synced);
    else
      ledger.erase(NodeRecord{node, {}}, Grade::synced);
  }
  for (const std::uint32_t node : std::exchange(changed_fences_, {}))
    if (node < numbers_.size() && !numbers_.name_of(node).empty())
      ledger.put(fence_row(numbers_, node, slots_.highest(node)), Grade::synced);
  // That nothing starts any more under a lease, or on nodes that left it, is promised to others.
  for (const Epoch epoch : leases) {
    if (const Lease* lease = leases_.find(epoch))
      ledger.put(row_of(epoch, *lease), Grade::synced);
    else
      ledger.erase(AssignmentRecord{epoch, {}, {}, false, false, {}, {}}, Grade::synced);
  }
  for (const TaskId& id : tasks) {
    if (const TaskRecord* task = tasks_.find(id); task != nullptr && task->state != TaskState::parked)
      ledger.put(row_of(*task));
    else
      ledger.erase(row_named(id));
  }
  for (const std::uint32_t node : suspects) {
    const Suspect* suspect = black_holes_.find(node);
    if (suspect != nullptr)
      ledger.put(SuspectRecord{node, *suspect});
    else
      ledger.erase(SuspectRecord{node, {}});
  }
}

// ---- reading ---------------------------------------------------------------------------------------------------

void ResourceManager::restore(Instant now, std::vector<ResourceRecord> rows, const std::vector<LivingTask>& living,
                              bool keeper_died) {
  DMM_ASSERT(leases_.empty() && tasks_.all().empty());
  now_ = now;
  resume_due_ = true;
  presence_.heard(now, site_);  // a full term for everybody to come back
  std::map<TaskId, std::int32_t> found;
  for (const LivingTask& task : living)
    if (!DMM_PLANT(living_tasks_ignored)) found[task.id] = task.process;
  // Numbers first, since leases name nodes by them; leases before fences: a node may be under a lease and have seen a
  // later one. And suspects before tasks: one that is lost makes its nodes more suspect still.
  NodeNumbers before;
  for (ResourceRecord& row : rows)
    if (auto* node = std::get_if<NodeRecord>(&row)) {
      changed_numbers_.insert(node->node);  // written once more, or erased
      before.restore(node->node, std::move(node->name));
    }
  numbers_ = std::move(before);
  number_nodes();
  for (ResourceRecord& row : rows) {
    if (auto* lease = std::get_if<AssignmentRecord>(&row)) restore_one(*lease);
    if (auto* suspect = std::get_if<SuspectRecord>(&row)) restore_one(*suspect);
  }
  restore_fences(rows);
  const bool others_died = users_of_gone(rows, found).size() > 1;
  for (ResourceRecord& row : rows)
    if (auto* task = std::get_if<TaskRow>(&row)) restore_one(now, *task, found, keeper_died, others_died);
  for (const auto& [id, process] : found) strays_.insert(id);
}

/// Nodes that aren't there were taken out of the configuration since.
void ResourceManager::restore_one(AssignmentRecord& row) {
  NodeSet nodes = slots_.within(row.nodes);
  if (nodes != row.nodes) changed_leases_.add(row.lease);
  if (nodes.empty()) return;
  slots_.assign(nodes, row.lease);
  leases_[row.lease] = {std::move(row.holder), std::move(row.user), std::move(nodes), row.patience,
                        row.alone,             false,               row.fenced};
}

void ResourceManager::restore_fences(const std::vector<ResourceRecord>& rows) {
  std::map<std::string, std::uint32_t> numbers;
  for (auto& [node, name] : numbers_.all()) numbers.emplace(std::move(name), node);
  for (const ResourceRecord& row : rows) {
    const auto* fence = std::get_if<FenceRecord>(&row);
    if (!fence) continue;
    const auto known = numbers.find(fence->key());
    if (known == numbers.end()) {
      gone_fences_[fence->key()] = *fence;
      continue;
    }
    slots_.remember(known->second, fence->highest);
    if (fence->key() != fence_row(numbers_, known->second, {}).key() || fence->node != known->second)
      changed_fences_.insert(known->second);
  }
}

void ResourceManager::restore_one(SuspectRecord& row) {
  const bool is_gone = !slots_.has({{row.node, row.node}});
  if (is_gone) row.suspect.until = never;
  black_holes_.restore(row.node, std::move(row.suspect));
  if (is_gone) black_holes_.ran({{row.node, row.node}});
}

/// Takes the task out of `living` if it is as the ledger says.
void ResourceManager::restore_one(Instant now, TaskRow& row, std::map<TaskId, std::int32_t>& living, bool keeper_died,
                                  bool others_died) {
  TaskRecord& task = tasks_.add(now, {row.request, row.component}, row.lease);
  task.nodes = std::move(row.nodes);
  task.ordered = row.ordered;
  task.process = row.process;
  task.cause = row.cause;
  task.lease_end = row.lease_end;
  task.warned = row.cause && *row.cause != EndKind::fenced;  // perhaps; what is fenced is killed at once
  task.kill_at = row.kill_at;
  const auto alive = living.find(task.id);
  if (row.state == TaskState::ended) {
    record_outcome(now, task, std::move(row.outcome));
    if (alive != living.end()) living.erase(alive);
    return;
  }
  if (alive == living.end() || !slots_.has(task.nodes)) {  // gone, or its nodes are
    Ended outcome;
    outcome.kind = task.cause.value_or(EndKind::lost);
    outcome.lease_end = task.lease_end;
    outcome.keeper_died = keeper_died && !task.cause && slots_.has(task.nodes);
    outcome.others_died = outcome.keeper_died && others_died;
    outcome.text = outcome.keeper_died ? keeper_died_text
                                       : "the resource manager was started again and found nothing of it";
    if (!task.cause && !outcome.keeper_died)
      black_holes_.failed(now, slots_.within(task.nodes), task.id.request, "lost");
    changed_tasks_.add(task.id);
    return record_outcome(now, task, std::move(outcome));
  }
  restore_living(now, task, row, alive->second);
  living.erase(alive);
}

/// It still runs, or its end wasn't reported yet. Without a process it is still to be started.
void ResourceManager::restore_living(Instant now, TaskRecord& task, const TaskRow& row, std::int32_t process) {
  if (process != 0) task.process = process;
  task.started = task.process != 0 || row.state == TaskState::running;
  const bool runs = row.state == TaskState::starting && task.started;
  if (runs || task.process != row.process) changed_tasks_.add(task.id);
  tasks_.enter(now, task, runs ? TaskState::running : row.state);
  slots_.occupy_again(task.nodes, task.number);
  if (row.detached_until != never) tasks_.set_due(task, row.detached_until);
  const Party job_manager = job_manager_of(row.request);
  if (task.kill_at > now) presence_.watch(now, job_manager, task.number);
  if (row.detached_until != never) presence_.detach(job_manager, task.number);
}

/// The first settle after a restore: the ends that were ordered are ordered again, since the backend may not have
/// heard them.
void ResourceManager::resume(Instant now, Effects& effects) {
  for (const TaskId& id : strays_) effects.tasks.push_back(EndTask{id, Duration{}});
  for (const std::uint64_t number : tasks_.open()) {
    const TaskRecord& task = tasks_.at(number);
    if (task.state == TaskState::ending)
      effects.tasks.push_back(EndTask{task.id, std::max(task.kill_at - now, Duration{})});
  }
  effects.log(Level::info, "restore", {},
              {{"leases", static_cast<std::int64_t>(leases_.size())},
               {"tasks", std::int64_t{tasks_.live()}},
               {"outcomes", static_cast<std::int64_t>(tasks_.all().size() - tasks_.live())},
               {"unknown_tasks", static_cast<std::int64_t>(strays_.size())}});
}

}  // namespace dmm
