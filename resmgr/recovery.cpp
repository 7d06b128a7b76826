// The steps of recovery.hpp.
#include "resmgr/recovery.hpp"

#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "resmgr/reconfiguring.hpp"
#include "resmgr/running.hpp"

namespace dmm::resource_steps {

namespace {

TaskRow row_of(const TaskRecord& task) {
  const Instant detached_until = task.is_live() ? task.due : never;
  return {task.id.request,
          task.id.component,
          task.lease,
          task.nodes,
          task.state,
          task.ordered,
          task.process,
          task.cause,
          task.kill_at,
          detached_until,
          task.outcome ? *task.outcome : Ended{},
          task.lease_end,
          task.isolation,
          task.contact};
}

template <class Assignment>
AssignmentRecord row_of(Epoch epoch, const Assignment& lease) {
  return {epoch, lease.holder, lease.nodes, lease.alone, lease.closed, lease.user, lease.patience};
}

FenceRecord fence_row(const NodeNumbers& numbers, std::uint32_t node, Epoch highest) {
  return {node, highest, numbers.is_named() ? numbers.name_of(node) : std::string()};
}

/// A row for erasing: only its key counts.
TaskRow row_named(const TaskId& id) {
  TaskRow row;
  row.request = id.request;
  row.component = id.component;
  return row;
}

/// The users of tasks that had no end and that the backend doesn't have any more.
std::set<Party> users_of_gone(const std::vector<ResourceRecord>& rows,
                              const std::map<TaskId, std::int32_t>& found) {
  std::set<Party> users;
  for (const ResourceRecord& row : rows)
    if (const auto* task = std::get_if<TaskRow>(&row);
        task && task->state != TaskState::ended && !found.contains({task->request, task->component}))
      users.insert(job_manager_of(task->request));
  return users;
}

}  // namespace

/// Nodes that aren't there were taken out of the configuration since.
static void restore_one(ResourceParts& parts, AssignmentRecord& row);
static void restore_fences(ResourceParts& parts, const std::vector<ResourceRecord>& rows);
static void restore_one(ResourceParts& parts, SuspectRecord& row);
/// Takes the task out of `living` if it is as the ledger says.
static void restore_one(ResourceParts& parts, Instant now, TaskRow& row, std::map<TaskId, std::int32_t>& living,
                        bool keeper_died, bool others_died);
/// It still runs, or its end wasn't reported yet. Without a process it is still to be started.
static void restore_living(ResourceParts& parts, Instant now, TaskRecord& task, const TaskRow& row,
                           std::int32_t process);

// ---- writing ---------------------------------------------------------------------------------------------------

std::vector<ResourceRecord> records(const ResourceParts& parts) {
  std::vector<ResourceRecord> rows;
  for (const auto& [node, highest] : parts.slots.fences())
    if (node < parts.numbers.size()) rows.emplace_back(fence_row(parts.numbers, node, highest));
  for (const auto& [key, row] : parts.fences.gone()) rows.emplace_back(row);
  if (parts.numbers.is_named())
    for (auto& [node, name] : parts.numbers.all()) rows.emplace_back(NodeRecord{node, std::move(name)});
  for (const Epoch epoch : parts.leases.keys()) rows.emplace_back(row_of(epoch, parts.leases.at(epoch)));
  for (const TaskRecord& task : parts.tasks.all())
    if (task.state != TaskState::parked) rows.emplace_back(row_of(task));
  for (const auto& [node, suspect] : parts.black_holes.all()) rows.emplace_back(SuspectRecord{node, suspect});
  return rows;
}

void record_changes(ResourceStep& s, const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks) {
  std::set<std::uint32_t> suspects = s.parts.black_holes.take_changed();
  auto& ledger = s.effects.ledger;
  if (!ledger.wanted) return;
  for (const std::uint32_t node : s.parts.numbers.take_changed()) {
    std::string name = s.parts.numbers.is_named() ? s.parts.numbers.name_of(node) : std::string();
    if (!name.empty())
      ledger.put(NodeRecord{node, std::move(name)}, Grade::synced);
    else
      ledger.erase(NodeRecord{node, {}}, Grade::synced);
  }
  for (const std::uint32_t node : s.parts.fences.take_changed())
    if (node < s.parts.numbers.size() && !s.parts.numbers.name_of(node).empty())
      ledger.put(fence_row(s.parts.numbers, node, s.parts.slots.highest(node)), Grade::synced);
  for (FenceRecord& row : s.parts.fences.take_left()) ledger.put(std::move(row), Grade::synced);
  // That nothing starts any more under a lease, or on nodes that left it, is promised to others.
  for (const Epoch epoch : leases) {
    if (const Assignment* lease = s.parts.leases.find(epoch))
      ledger.put(row_of(epoch, *lease), Grade::synced);
    else
      ledger.erase(AssignmentRecord{epoch, {}, {}, false, false, {}, {}}, Grade::synced);
  }
  for (const TaskId& id : tasks) {
    if (const TaskRecord* task = s.parts.tasks.find(id); task != nullptr && task->state != TaskState::parked)
      ledger.put(row_of(*task));
    else
      ledger.erase(row_named(id));
  }
  for (const std::uint32_t node : suspects) {
    const Suspect* suspect = s.parts.black_holes.find(node);
    if (suspect != nullptr)
      ledger.put(SuspectRecord{node, *suspect});
    else
      ledger.erase(SuspectRecord{node, {}});
  }
}

// ---- reading ---------------------------------------------------------------------------------------------------

void restore(ResourceParts& parts, Instant now, std::vector<ResourceRecord> rows,
             const std::vector<LivingTask>& living, bool keeper_died) {
  DMM_ASSERT(parts.leases.empty() && parts.tasks.all().empty());
  parts.now = now;
  parts.resume_due = true;
  parts.presence.heard(now, parts.site);  // a full term for all managers to come back
  std::map<TaskId, std::int32_t> found;
  for (const LivingTask& task : living)
    if (!DMM_PLANT(living_tasks_ignored)) found[task.id] = task.process;
  // Numbers first, since leases name nodes by them; leases before fences: a node may be under a lease and have
  // seen a later one. And suspects before tasks: one that is lost makes its nodes more suspect still.
  NodeNumbers before;
  for (ResourceRecord& row : rows)
    if (auto* node = std::get_if<NodeRecord>(&row)) {
      before.changed(node->node);  // written once more, or erased
      before.restore(node->node, std::move(node->name));
    }
  parts.numbers = std::move(before);
  number_nodes(parts);
  for (ResourceRecord& row : rows) {
    if (auto* lease = std::get_if<AssignmentRecord>(&row)) restore_one(parts, *lease);
    if (auto* suspect = std::get_if<SuspectRecord>(&row)) restore_one(parts, *suspect);
  }
  restore_fences(parts, rows);
  const bool others_died = users_of_gone(rows, found).size() > 1;
  for (ResourceRecord& row : rows)
    if (auto* task = std::get_if<TaskRow>(&row)) restore_one(parts, now, *task, found, keeper_died, others_died);
  for (const auto& [id, process] : found) {
    const TaskRecord* known = parts.tasks.find(id);
    DMM_ASSERT(known == nullptr || !known->is_live());
    parts.cleans.add_stray(id);
  }
}

void restore_one(ResourceParts& parts, AssignmentRecord& row) {
  NodeSet nodes = parts.slots.within(row.nodes);
  if (nodes != row.nodes) parts.leases.changed(row.lease);
  if (nodes.empty()) return;
  parts.slots.assign(nodes, row.lease);
  parts.leases.get_or_make(row.lease) = {
      std::move(row.holder), std::move(row.user), std::move(nodes), row.patience, row.alone, false, row.closed};
}

void restore_fences(ResourceParts& parts, const std::vector<ResourceRecord>& rows) {
  std::map<std::string, std::uint32_t> numbers;
  for (auto& [node, name] : parts.numbers.all()) numbers.emplace(std::move(name), node);
  for (const ResourceRecord& row : rows) {
    const auto* fence = std::get_if<FenceRecord>(&row);
    if (!fence) continue;
    const auto known = numbers.find(fence->key());
    if (known == numbers.end()) {
      parts.fences.keep(*fence);
      continue;
    }
    parts.slots.remember(known->second, fence->highest);
    if (fence->key() != fence_row(parts.numbers, known->second, {}).key() || fence->node != known->second)
      parts.fences.changed(known->second);
  }
}

void restore_one(ResourceParts& parts, SuspectRecord& row) {
  const bool is_gone = !parts.slots.has({{row.node, row.node}});
  if (is_gone) row.suspect.until = never;
  parts.black_holes.restore(row.node, std::move(row.suspect));
  if (is_gone) parts.black_holes.ran({{row.node, row.node}});
}

void restore_one(ResourceParts& parts, Instant now, TaskRow& row, std::map<TaskId, std::int32_t>& living,
                 bool keeper_died, bool others_died) {
  TaskRecord& task = parts.tasks.add(now, {row.request, row.component}, row.lease);
  task.nodes = std::move(row.nodes);
  task.ordered = row.ordered;
  task.process = row.process;
  task.isolation = std::move(row.isolation);
  task.contact = std::move(row.contact);
  task.cause = row.cause;
  task.lease_end = row.lease_end;
  task.warned = row.cause && *row.cause != EndKind::lost_contact;  // perhaps; what lost contact is killed at once
  task.kill_at = row.kill_at;
  const auto alive = living.find(task.id);
  if (row.state == TaskState::ended) {
    record_outcome(parts, now, task, std::move(row.outcome));
    if (alive != living.end()) living.erase(alive);
    return;
  }
  const bool has_nodes = parts.slots.has(task.nodes);
  if (alive == living.end() || !has_nodes) {  // gone, or its nodes are
    Ended outcome;
    outcome.kind = task.cause.value_or(EndKind::lost);
    const bool is_removed = !has_nodes && !task.cause && task.lease_end == LeaseEnd::released;
    outcome.lease_end = is_removed ? LeaseEnd::node_removed : task.lease_end;
    outcome.keeper_died = keeper_died && !task.cause && has_nodes;
    outcome.others_died = outcome.keeper_died && others_died;
    outcome.text =
        outcome.keeper_died ? keeper_died_text : "the resource manager was started again and found nothing of it";
    if (!task.cause && !outcome.keeper_died && !is_removed)
      parts.black_holes.failed(now, parts.slots.within(task.nodes), task.id.request, "lost");
    parts.tasks.changed(task.id);
    return record_outcome(parts, now, task, std::move(outcome));
  }
  restore_living(parts, now, task, row, alive->second);
  living.erase(alive);
}

void restore_living(ResourceParts& parts, Instant now, TaskRecord& task, const TaskRow& row,
                    std::int32_t process) {
  if (process != 0) task.process = process;
  task.started = task.process != 0 || row.state == TaskState::running;
  const bool runs = row.state == TaskState::starting && task.started;
  if (runs || task.process != row.process) parts.tasks.changed(task.id);
  parts.tasks.enter(now, task, runs ? TaskState::running : row.state);
  parts.slots.occupy_again(task.nodes, task.number);
  if (row.detached_until != never) parts.tasks.set_due(task, row.detached_until);
  const Party job_manager = job_manager_of(row.request);
  if (task.kill_at > now) parts.presence.watch(now, job_manager, task.number);
  if (row.detached_until != never) parts.presence.detach(job_manager, task.number);
}

void resume(ResourceStep& s) {
  for (const TaskId& id : s.parts.cleans.strays()) s.effects.tasks.push_back(EndTask{id, Duration{}});
  for (const std::uint64_t number : s.parts.tasks.open()) {
    const TaskRecord& task = s.parts.tasks.at(number);
    if (task.state == TaskState::ending)
      s.effects.tasks.push_back(EndTask{task.id, std::max(task.kill_at - s.now, Duration{})});
  }
  s.effects.log(Level::info, "restore", {},
                {{"leases", static_cast<std::int64_t>(s.parts.leases.size())},
                 {"tasks", std::int64_t{s.parts.tasks.live()}},
                 {"outcomes", static_cast<std::int64_t>(s.parts.tasks.all().size() - s.parts.tasks.live())},
                 {"unknown_tasks", static_cast<std::int64_t>(s.parts.cleans.strays().size())}});
}

}  // namespace dmm::resource_steps
