// One slot a node; every change goes through `set`, so the counters can't drift.
#include "resmgr/slots.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// Calls `visit` for the slot of each node.
template <class List, class Visit>
void each(List& slots, const NodeSet& nodes, Visit visit) {
  for (const NodeRange& range : nodes) {
    DMM_ASSERT(range.last < slots.size());
    for (std::size_t node = range.first; node <= range.last; ++node) visit(slots[node]);
  }
}

/// In order, each once.
template <class Value>
void sort_out(std::vector<Value>& values) {
  if (values.size() < 2) return;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void Slots::configure(const NodeSet& present) {
  if (!present.empty() && present.back().last >= slots_.size()) slots_.resize(present.back().last + 1);
  const auto turn = [&](const NodeSet& nodes, bool is_present) {
    each(slots_, nodes, [&](Slot& slot) {
      free_ -= is_free(slot);
      slot.present = is_present;
      DMM_ASSERT(is_present || slot.lease.counter == 0);
      free_ += is_free(slot);
    });
  };
  turn(subtract(present_, present), false);
  turn(subtract(present, present_), true);
  present_ = present;
  total_ = count(present);
  DMM_ASSERT(free_ <= total_ && total_ <= slots_.size());
}

bool Slots::has(const NodeSet& nodes) const {
  return !nodes.empty() && is_well_formed(nodes) && contains(present_, nodes);
}

NodeSet Slots::known(const NodeSet& nodes) const {
  if (nodes.empty() || nodes.back().last < slots_.size()) return nodes;
  return slots_.empty() ? NodeSet{} : intersect(nodes, {{0, static_cast<std::uint32_t>(slots_.size()) - 1}});
}

bool Slots::all_under(const NodeSet& nodes, Epoch lease) const {
  bool all = true;
  each(slots_, nodes, [&](const Slot& slot) { all = all && slot.lease == lease; });
  return all;
}

bool Slots::admit(const NodeSet& nodes, Epoch lease) const {
  bool all = true;
  each(slots_, nodes, [&](const Slot& slot) { all = all && (slot.lease == lease || slot.highest < lease); });
  if (DMM_PLANT(no_epoch_check)) return true;
  return all;
}

std::vector<Epoch> Slots::leases_on(const NodeSet& nodes) const {
  std::vector<Epoch> leases;
  each(slots_, nodes, [&](const Slot& slot) {
    if (slot.lease.counter != 0 && (leases.empty() || leases.back() != slot.lease)) leases.push_back(slot.lease);
  });
  sort_out(leases);
  return leases;
}

std::vector<std::uint64_t> Slots::tasks_on(const NodeSet& nodes) const {
  std::vector<std::uint64_t> tasks;
  each(slots_, nodes, [&](const Slot& slot) {
    if (slot.task != 0 && (tasks.empty() || tasks.back() != slot.task)) tasks.push_back(slot.task);
  });
  sort_out(tasks);
  return tasks;
}

std::vector<std::uint32_t> Slots::unseen(const NodeSet& nodes, Epoch lease) const {
  DMM_ASSERT(nodes.empty() || nodes.back().last < slots_.size());
  std::vector<std::uint32_t> unseen;
  each_node(nodes, [&](std::uint32_t node) {
    if (slots_[node].highest < lease) unseen.push_back(node);
  });
  return unseen;
}

NodeSet Slots::dirty() const {
  NodeSet dirty;
  each_node(present_, [&](std::uint32_t node) {
    if (slots_[node].task != 0 && slots_[node].lease.counter == 0) append(dirty, node);
  });
  return dirty;
}

std::vector<std::pair<std::uint32_t, Epoch>> Slots::fences() const {
  std::vector<std::pair<std::uint32_t, Epoch>> fences;
  for (std::uint32_t node = 0; node < slots_.size(); ++node)
    if (slots_[node].highest != Epoch{}) fences.emplace_back(node, slots_[node].highest);
  return fences;
}

void Slots::set(Slot& slot, Epoch lease, std::uint64_t task) {
  leased_ -= slot.lease.counter != 0;
  free_ -= is_free(slot);
  slot.lease = lease;
  slot.task = task;
  leased_ += slot.lease.counter != 0;
  free_ += is_free(slot);
  DMM_ASSERT(free_ <= total_ && leased_ <= slots_.size());
}

void Slots::assign(const NodeSet& nodes, Epoch lease) {
  DMM_ASSERT(lease.counter != 0);
  each(slots_, nodes, [&](Slot& slot) {
    DMM_ASSERT(slot.lease == lease || slot.highest < lease || DMM_PLANT(no_epoch_check));
    set(slot, lease, slot.task);
    slot.highest = std::max(slot.highest, lease);
  });
}

void Slots::unassign(const NodeSet& nodes, Epoch lease) {
  each(slots_, nodes, [&](Slot& slot) {
    if (slot.lease == lease) set(slot, Epoch{}, slot.task);
    slot.highest = std::max(slot.highest, lease);
  });
}

void Slots::occupy(const NodeSet& nodes, Epoch lease, std::uint64_t task) {
  DMM_ASSERT(task != 0);
  each(slots_, nodes, [&](Slot& slot) {
    DMM_ASSERT(slot.present && slot.lease == lease);
    DMM_ASSERT(slot.task == 0);
    set(slot, slot.lease, task);
  });
}

void Slots::vacate(const NodeSet& nodes, std::uint64_t task) {
  DMM_ASSERT(task != 0);
  each(slots_, nodes, [&](Slot& slot) {
    DMM_ASSERT(slot.task == task);
    set(slot, slot.lease, 0);
  });
}

void Slots::remember(std::uint32_t node, Epoch highest) {
  DMM_ASSERT(node < slots_.size());
  slots_[node].highest = std::max(slots_[node].highest, highest);
  DMM_ASSERT(slots_[node].lease <= slots_[node].highest);
}

void Slots::replace(std::uint32_t node, Epoch highest) {
  if (node >= slots_.size()) slots_.resize(node + 1);
  slots_[node].highest = highest;
}

void Slots::occupy_again(const NodeSet& nodes, std::uint64_t task) {
  DMM_ASSERT(task != 0);
  each(slots_, nodes, [&](Slot& slot) {
    DMM_ASSERT(slot.present && slot.task == 0);
    set(slot, slot.lease, task);
  });
}

bool Slots::all_run(const NodeSet& nodes, std::uint64_t task) const {
  bool all = true;
  each(slots_, nodes, [&](const Slot& slot) { all = all && slot.task == task; });
  return all;
}

void Slots::check_invariants() const {
  std::uint32_t leased = 0;
  std::uint32_t free = 0;
  std::uint32_t total = 0;
  for (const Slot& slot : slots_) {
    DMM_ASSERT(slot.lease <= slot.highest);
    DMM_ASSERT(slot.present || slot.lease.counter == 0);
    total += slot.present;
    leased += slot.lease.counter != 0;
    free += is_free(slot);
  }
  DMM_ASSERT(total == total_ && total == count(present_));
  DMM_ASSERT(leased == leased_);
  DMM_ASSERT(free == free_);
}

}  // namespace dmm
