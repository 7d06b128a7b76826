// The nodes of a resource manager, one slot each: the node's lease, its fence (the highest epoch that it has seen), and
// the task that runs on it. A node comes only under a lease with an epoch above its fence (docs/protocol.md, Assign).
// Slots decides nothing else: the manager decides which task ends, and when.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "protocol/ids.hpp"
#include "protocol/resources.hpp"

namespace dmm {

class Slots {
 public:
  /// Sets which nodes there are. A removed node must be under no lease; a task on it may still run to its end.
  void configure(const NodeSet& present);

  /// How many nodes there are.
  std::uint32_t total() const { return total_; }
  const NodeSet& present() const { return present_; }
  std::uint32_t leased() const { return leased_; }
  /// Nodes under no lease on which nothing runs.
  std::uint32_t free() const { return free_; }

  /// Whether these are nodes of this manager: at least one, well formed, all there.
  bool has(const NodeSet& nodes) const;
  /// Those of the nodes that this manager has; the set must be well formed.
  NodeSet within(const NodeSet& nodes) const { return intersect(nodes, present_); }
  /// Those of the nodes that this manager has or had: tasks may still run on nodes that were removed.
  NodeSet known(const NodeSet& nodes) const;
  bool all_under(const NodeSet& nodes, Epoch lease) const;
  /// Whether each node is under the lease already, or may come under it because its fence is lower.
  bool admit(const NodeSet& nodes, Epoch lease) const;
  /// The leases that any of the nodes are under, in order.
  std::vector<Epoch> leases_on(const NodeSet& nodes) const;
  /// The tasks that run on any of the nodes, in order.
  std::vector<std::uint64_t> tasks_on(const NodeSet& nodes) const;

  /// The nodes with a lower fence: putting them under the lease, or taking them out of it, would raise the fence.
  std::vector<std::uint32_t> unseen(const NodeSet& nodes, Epoch lease) const;
  Epoch highest(std::uint32_t node) const {
    DMM_ASSERT(node < slots_.size());
    return slots_[node].highest;
  }
  /// All nodes that have a fence, each with its fence, in order.
  std::vector<std::pair<std::uint32_t, Epoch>> fences() const;
  /// Nodes that are there, under no lease, and on which something runs.
  NodeSet dirty() const;

  /// Puts nodes that admit the lease under it, away from any older one.
  void assign(const NodeSet& nodes, Epoch lease);
  /// Takes those of the nodes that are under the lease out of it; none of the nodes will come under it again.
  void unassign(const NodeSet& nodes, Epoch lease);
  /// The nodes must be under the lease, and nothing may run on them.
  void occupy(const NodeSet& nodes, Epoch lease, std::uint64_t task);
  void vacate(const NodeSet& nodes, std::uint64_t task);

  /// After a restart: the fence that the node had; and, by `occupy_again`, the task that still runs, under any lease.
  void remember(std::uint32_t node, Epoch highest);
  /// Sets the fence of the node that now has this number, whatever fence another node of this number had.
  void replace(std::uint32_t node, Epoch highest);
  void occupy_again(const NodeSet& nodes, std::uint64_t task);

  /// Whether the task runs on each of the nodes.
  bool all_run(const NodeSet& nodes, std::uint64_t task) const;
  /// Recounts everything; for tests.
  void check_invariants() const;

 private:
  struct Slot {
    Epoch lease;             ///< counter 0: none
    Epoch highest;           ///< of all leases it was ever under, or was told that it isn't any more
    std::uint64_t task = 0;  ///< 0: nothing runs
    bool present = false;
  };
  static bool is_free(const Slot& slot) { return slot.present && slot.lease.counter == 0 && slot.task == 0; }
  void set(Slot& slot, Epoch lease, std::uint64_t task);

  std::vector<Slot> slots_;
  NodeSet present_;
  std::uint32_t total_ = 0, leased_ = 0, free_ = 0;
};

}  // namespace dmm
