// What a resource manager finds again after a restart: the fence, what is assigned, and the tasks with their outcomes.
#pragma once

#include <array>

#include "machine/ledger.hpp"
#include "protocol/text.hpp"
#include "resmgr/task_table.hpp"

namespace dmm {

/// The highest epoch that nodes have seen. Synced before it is acted on: nobody else could say it again.
struct FenceRecord {
  std::uint32_t node = 0;
  Epoch highest;

  static constexpr std::string_view table = "fences";
  static constexpr std::array<std::string_view, 2> columns{"node", "highest"};
  std::string key() const { return std::to_string(node); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.node, self.highest);
  }
};

/// Nodes under a lease.
struct AssignmentRecord {
  Epoch lease;
  SiteName holder;
  NodeSet nodes;
  bool fenced = false;

  static constexpr std::string_view table = "assignments";
  static constexpr std::array<std::string_view, 4> columns{"lease", "holder", "nodes", "fenced"};
  std::string key() const { return std::to_string(lease.incarnation) + "." + std::to_string(lease.counter); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.holder, self.nodes, self.fenced);
  }
};

/// A task that was ordered, until its outcome has been fetched.
struct TaskRow {
  RequestId request;
  std::uint32_t component = 0;
  Epoch lease;
  NodeSet nodes;
  TaskState state = TaskState::starting;
  bool ordered = false;
  std::int32_t process = 0;
  std::optional<EndKind> cause;
  Duration detached;  ///< how long it may still go on under a lease that is over; 0 if it isn't
  Ended outcome;      ///< once ended

  static constexpr std::string_view table = "tasks";
  static constexpr std::array<std::string_view, 10> columns{"request", "component", "lease", "nodes",    "state",
                                                            "ordered", "process",   "cause", "detached", "outcome"};
  std::string key() const { return to_text(request) + "#" + std::to_string(component); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.request, self.component, self.lease, self.nodes, self.state, self.ordered, self.process,
                    self.cause, self.detached, self.outcome);
  }
};

using ResourceRecord = std::variant<FenceRecord, AssignmentRecord, TaskRow>;

}  // namespace dmm
