// The nodes of a resource manager, one slot each: under which lease it is, the highest epoch it has ever seen, and
// which task runs on it. This is the fence: a node never comes under a lease whose epoch isn't greater than all
// that it has seen before (docs/protocol.md, Assign). It decides nothing else; who ends which task is the
// manager's matter.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/resources.hpp"

namespace dmm {

class Slots {
 public:
  explicit Slots(std::uint32_t total) : slots_(total) {}

  std::uint32_t total() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t leased() const { return leased_; }
  /// Nodes under no lease on which nothing runs.
  std::uint32_t free() const { return free_; }

  /// Whether these are nodes of this manager: at least one, well formed, none beyond the last.
  bool has(const NodeSet& nodes) const;
  /// Those of the nodes that this manager has; the set must be well formed.
  NodeSet within(const NodeSet& nodes) const;
  bool all_under(const NodeSet& nodes, Epoch lease) const;
  /// Whether each node is under the lease or may still come under it: it has seen no epoch as great.
  bool admit(const NodeSet& nodes, Epoch lease) const;
  /// The leases that any of the nodes are under, in order.
  std::vector<Epoch> leases_on(const NodeSet& nodes) const;
  /// The tasks that run on any of the nodes, in order.
  std::vector<std::uint64_t> tasks_on(const NodeSet& nodes) const;

  /// The nodes that have seen no epoch as great: those that putting them under the lease, or out of it, would fence.
  std::vector<std::uint32_t> unseen(const NodeSet& nodes, Epoch lease) const;
  Epoch highest(std::uint32_t node) const { return slots_[node].highest; }
  /// Nodes under no lease on which something runs.
  NodeSet dirty() const;

  /// Puts nodes that admit the lease under it, away from any older one.
  void assign(const NodeSet& nodes, Epoch lease);
  /// Takes those of the nodes that are under the lease out of it; none of the nodes will come under it again.
  void unassign(const NodeSet& nodes, Epoch lease);
  /// The nodes must be under the lease, and nothing may run on them.
  void occupy(const NodeSet& nodes, Epoch lease, std::uint64_t task);
  void vacate(const NodeSet& nodes, std::uint64_t task);

  /// After a restart: what a node had seen, and what still runs, under whatever lease.
  void remember(std::uint32_t node, Epoch highest);
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
  };
  static bool is_free(const Slot& slot) { return slot.lease.counter == 0 && slot.task == 0; }
  void set(Slot& slot, Epoch lease, std::uint64_t task);

  std::vector<Slot> slots_;
  std::uint32_t leased_ = 0;
  std::uint32_t free_ = total();
};

}  // namespace dmm
