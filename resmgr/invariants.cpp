// What must hold in every state of a resource manager. After each step only what the step changed is looked at;
// the whole is recounted by tests and by the simulator's checkers, now and then.
#include <utility>

#include "manager/assert.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {
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

void ResourceManager::check_changes(const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks) const {
  DMM_ASSERT(touched_.empty());
  for (const Epoch epoch : leases) {
    const Lease* lease = leases_.find(epoch);
    DMM_ASSERT(lease == nullptr || slots_.all_under(lease->nodes, epoch));
  }
  for (const TaskId& id : tasks)
    if (const TaskRecord* task = tasks_.find(id)) check_task(*task, slots_);
  DMM_ASSERT(slots_.free() + slots_.leased() <= slots_.total());
}

void ResourceManager::check_invariants() const {
  slots_.check_invariants();
  presence_.check_invariants();
  tasks_.check_invariants();
  std::uint32_t leased = 0;
  for (const Epoch epoch : leases_.keys()) {
    const NodeSet& nodes = leases_.at(epoch).nodes;
    DMM_ASSERT(!nodes.empty() && is_well_formed(nodes));
    DMM_ASSERT(slots_.all_under(nodes, epoch));
    leased += count(nodes);
  }
  DMM_ASSERT(leased == slots_.leased());
  std::map<std::uint64_t, std::size_t> cleans;
  for (const TaskRecord& task : tasks_.all()) {
    check_task(task, slots_);
    for (const std::uint64_t number : task.cleans) ++cleans[number];
    DMM_ASSERT(!strays_.contains(task.id) || !task.is_live());
  }
  for (const std::uint64_t number : stray_cleans_) ++cleans[number];
  DMM_ASSERT(stray_cleans_.empty() || !strays_.empty());
  DMM_ASSERT(cleans.size() == cleans_.size());
  for (const auto& [number, clean] : cleans_) DMM_ASSERT(cleans.at(number) == clean.tasks);
  for (const auto& read : reads_) DMM_ASSERT(tasks_.find(std::get<TaskId>(read.first)) != nullptr);
}

}  // namespace dmm
