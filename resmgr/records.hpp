// What a resource manager finds again after a restart: the fence, what is assigned, the tasks with their outcomes, and
// which nodes are under suspicion. Instants are on the monotonic clock of the process; `never` stays never.
#pragma once

#include <array>

#include "manager/ledger.hpp"
#include "protocol/text.hpp"
#include "resmgr/black_holes.hpp"
#include "resmgr/task_table.hpp"

namespace dmm {

/// The highest epoch that a node has seen. Synced before it is acted on: no other manager could say it again. It stays
/// when the node is taken out of the configuration, and holds when it comes back.
struct FenceRecord {
  std::uint32_t node = 0;
  Epoch highest;
  std::string name = {};  ///< of the node, where nodes have names: then the number means nothing

  static constexpr std::string_view table = "fences";
  static constexpr std::array<std::string_view, 3> columns{"node", "highest", "name"};
  std::string key() const { return name.empty() ? std::to_string(node) : name; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.node, self.highest, self.name);
  }
};

/// Which number a node has, where nodes have names.
struct NodeRecord {
  std::uint32_t node = 0;
  std::string name;

  static constexpr std::string_view table = "nodes";
  static constexpr std::array<std::string_view, 2> columns{"node", "name"};
  std::string key() const { return std::to_string(node); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.node, self.name);
  }
};

/// Nodes under a lease.
struct AssignmentRecord {
  Epoch lease;
  SiteName holder;
  NodeSet nodes;
  bool alone = false;
  bool closed = false;
  ShortText user = {};     ///< only this user may start jobs under it; empty: any user of the holder
  Duration patience = {};  ///< as in Assignment

  static constexpr std::string_view table = "assignments";
  static constexpr std::array<std::string_view, 7> columns{"lease",  "holder", "nodes",   "alone",
                                                           "fenced", "user",   "patience"};
  std::string key() const { return std::to_string(lease.incarnation) + "." + std::to_string(lease.counter); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.holder, self.nodes, self.alone, self.closed, self.user, self.patience);
  }
};

/// A task that was ordered or has an outcome, until that has been fetched. A parked one is not kept: its job manager
/// asks again in a new session.
struct TaskRow {
  RequestId request;
  std::uint32_t component = 0;
  Epoch lease;
  NodeSet nodes;
  TaskState state = TaskState::starting;
  bool ordered = false;
  std::int32_t process = 0;
  std::optional<EndKind> cause;
  Instant kill_at = never;         ///< when its ordered end becomes a SIGKILL
  Instant detached_until = never;  ///< goes on no longer under a lease that is over; never: the lease isn't
  Ended outcome;                   ///< once ended
  LeaseEnd lease_end = LeaseEnd::released;
  ShortText isolation = {};
  ShortText contact = {};

  static constexpr std::string_view table = "tasks";
  static constexpr std::array<std::string_view, 14> columns{
      "request", "component", "lease",          "nodes",   "state",     "ordered",   "process",
      "cause",   "kill_at",   "detached_until", "outcome", "lease_end", "isolation", "contact"};
  std::string key() const { return to_text(request) + "#" + std::to_string(component); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.request, self.component, self.lease, self.nodes, self.state, self.ordered, self.process,
                    self.cause, self.kill_at, self.detached_until, self.outcome, self.lease_end, self.isolation,
                    self.contact);
  }
};

/// A node that lost jobs or couldn't start them.
struct SuspectRecord {
  std::uint32_t node = 0;
  Suspect suspect;

  static constexpr std::string_view table = "suspects";
  // "jobs" are the users of failed jobs, by name.
  static constexpr std::array<std::string_view, 5> columns{"node", "jobs", "pause", "aside_until", "reason"};
  std::string key() const { return std::to_string(node); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.node, self.suspect.users, self.suspect.pause, self.suspect.until, self.suspect.text);
  }
};

using ResourceRecord = std::variant<FenceRecord, AssignmentRecord, TaskRow, SuspectRecord, NodeRecord>;

}  // namespace dmm
