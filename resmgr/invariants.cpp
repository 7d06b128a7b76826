// The steps of invariants.hpp.
#include "resmgr/invariants.hpp"

#include <utility>

#include "manager/assert.hpp"

namespace dmm::resource_steps {

namespace {

/// A task that holds nodes holds them alone, and within its lease unless its end is ordered or it is detached.
void check_task(const TaskRecord& task, const Slots& slots) {
  if (!task.is_live()) return;
  DMM_ASSERT(task.ordered);
  DMM_ASSERT(slots.all_run(task.nodes, task.number));
  const bool is_detached = task.due != never;
  DMM_ASSERT(task.state == TaskState::ending || is_detached || slots.all_under(task.nodes, task.lease));
}

}  // namespace

void check_changes(const ResourceParts& parts, const std::vector<Epoch>& leases,
                   const std::vector<TaskId>& tasks) {
  DMM_ASSERT(!parts.leases.has_looks());
  for (const Epoch epoch : leases) {
    const Assignment* lease = parts.leases.find(epoch);
    DMM_ASSERT(lease == nullptr || parts.slots.all_under(lease->nodes, epoch));
  }
  for (const TaskId& id : tasks)
    if (const TaskRecord* task = parts.tasks.find(id)) check_task(*task, parts.slots);
  DMM_ASSERT(parts.slots.free() + parts.slots.leased() <= parts.slots.total());
}

void check_invariants(const ResourceParts& parts) {
  parts.slots.check_invariants();
  parts.presence.check_invariants();
  parts.tasks.check_invariants();
  std::uint32_t leased = 0;
  for (const Epoch epoch : parts.leases.keys()) {
    const NodeSet& nodes = parts.leases.at(epoch).nodes;
    DMM_ASSERT(!nodes.empty() && is_well_formed(nodes));
    DMM_ASSERT(parts.slots.all_under(nodes, epoch));
    leased += count(nodes);
  }
  DMM_ASSERT(leased == parts.slots.leased());
  std::map<std::uint64_t, std::size_t> cleans;
  for (const TaskRecord& task : parts.tasks.all()) {
    check_task(task, parts.slots);
    for (const std::uint64_t number : task.cleans) ++cleans[number];
    DMM_ASSERT(!parts.cleans.is_stray(task.id) || !task.is_live());
  }
  parts.cleans.check(std::move(cleans));
  parts.reads.check([&](const TaskId& task) { return parts.tasks.find(task) != nullptr; });
}

}  // namespace dmm::resource_steps
