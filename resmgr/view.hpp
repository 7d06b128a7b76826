// What a resource manager shows to people: a copy of its state in plain values, made when a person asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resmgr/task_table.hpp"

namespace dmm {

struct LeaseView {
  LeaseId lease;
  SiteName holder;
  NodeSet nodes;
  bool closed = false;      ///< no job starts under it any more
  std::uint32_t tasks = 0;  ///< that hold nodes
};

struct TaskView {
  TaskId id;
  LeaseId lease;
  NodeSet nodes;
  TaskState state = TaskState::parked;
  std::int32_t process = 0;  ///< 0 until it runs
  Instant since{};           ///< when it came into this state
};

/// Nodes on which nothing is to be placed for a while.
struct AsideView {
  NodeSet nodes;
  Instant until{};
  std::string reason;
};

/// What was counted since the start.
struct TaskCounts {
  std::uint64_t started = 0;  ///< programs that ran
  std::uint64_t ended = 0;    ///< tasks that are over, the failed ones not included
  std::uint64_t failed = 0;   ///< starts that were refused or didn't come to run the program
};

struct ResourceManagerView {
  std::uint32_t nodes_total = 0;
  std::uint32_t nodes_free = 0;  ///< under no lease, and nothing runs on them
  std::uint32_t nodes_leased = 0;
  bool registered = false;        ///< the site manager is in contact and has been offered the nodes
  std::vector<LeaseView> leases;  ///< by epoch
  std::vector<TaskView> tasks;    ///< by request and component
  std::vector<AsideView> aside;   ///< nodes set aside
  TaskCounts counts;
};

}  // namespace dmm
