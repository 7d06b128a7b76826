// The tasks of a resource manager: those that wait to start, those that run, and the outcomes that are kept until
// they are fetched; with the indices that let each event find the few tasks it concerns. No decisions are made
// here.
//
// Tasks are ordered by request, so the components of a request and the attempts at a job are neighbours. A task
// that isn't over also has a number, in order of arrival, by which nodes and links name it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "protocol/resources.hpp"
#include "protocol/time.hpp"
#include "resmgr/tasks.hpp"

namespace dmm {

enum class TaskState : std::uint8_t {
  parked,    ///< its lease isn't assigned yet, or its nodes aren't clean yet
  starting,  ///< ordered, not confirmed
  running,
  ending,    ///< its end was ordered, not confirmed
  ended,     ///< only the outcome is left, and perhaps its directory
};
std::string_view to_text(TaskState state);

struct TaskRecord {
  TaskId id;
  std::uint64_t number = 0;
  Epoch lease;
  NodeSet nodes;
  TaskState state = TaskState::parked;
  Instant since{};       ///< when it came into this state
  Instant due = never;   ///< parked: given up then; ended: forgotten then; else, if not never, detached and ended then
  Program program;       ///< while parked
  bool ordered = false;  ///< the backend was told to start it, so there is something to remove
  bool started = false;  ///< the backend said so
  bool own_directory = false;  ///< runs in a directory that is made for it: the node is to blame if it isn't there
  std::int32_t process = 0;
  std::optional<EndKind> cause;        ///< why its end was ordered
  bool warned = false;                 ///< it got a SIGTERM, which an exit may be the answer to
  Instant kill_at = never;             ///< when the ordered end becomes a SIGKILL
  std::vector<std::uint64_t> cleans;   ///< the Clean messages that wait for its end
  Ended outcome;                       ///< once ended

  /// Whether it holds its nodes.
  bool is_live() const { return state != TaskState::parked && state != TaskState::ended; }
};

class TaskTable {
 public:
  TaskTable() = default;
  TaskTable(TaskTable&&) = default;  // and no copy: indices point into the table
  TaskTable& operator=(TaskTable&&) = default;
  /// A new task, parked. There must be none of this name.
  TaskRecord& add(Instant now, const TaskId& id, Epoch lease);
  /// Moves a task on; never back.
  void enter(Instant now, TaskRecord& task, TaskState state);
  void set_due(TaskRecord& task, Instant due);
  void erase(const TaskId& id);

  /// The task, or nullptr. References stay valid until it is erased.
  TaskRecord* find(const TaskId& id);
  const TaskRecord* find(const TaskId& id) const;
  /// The task of this number, which isn't over.
  TaskRecord& at(std::uint64_t number);
  const TaskRecord& at(std::uint64_t number) const;

  /// All components of a request.
  std::vector<TaskId> of(const RequestId& request) const;
  /// All tasks of earlier attempts at the request's job, and of later ones.
  std::vector<TaskId> earlier_attempts(const RequestId& request) const;
  std::vector<TaskId> later_attempts(const RequestId& request) const;
  /// Numbers of the tasks of a lease that are parked, and of those that are live, each in order of arrival.
  std::vector<std::uint64_t> parked_of(Epoch lease) const;
  std::vector<std::uint64_t> live_of(Epoch lease) const;
  /// Whether a task of the lease isn't over.
  bool has_open(Epoch lease) const;
  /// Numbers of all tasks that aren't over.
  std::vector<std::uint64_t> open() const;

  Instant next_due() const { return dues_.empty() ? never : dues_.begin()->first; }
  /// Tasks that are due; they have no due time any more.
  std::vector<TaskId> take_due(Instant now);

  std::uint32_t live() const { return live_; }
  const std::map<TaskId, TaskRecord>& all() const { return tasks_; }
  /// For tests: the indices agree with a recount.
  void check_invariants() const;

 private:
  std::vector<TaskId> between(const RequestId& first, const RequestId& end) const;
  std::vector<std::uint64_t> of(Epoch lease, bool live) const;

  std::map<TaskId, TaskRecord> tasks_;
  std::map<std::uint64_t, TaskRecord*> open_;              ///< by number, those that aren't over
  std::set<std::tuple<Epoch, bool, std::uint64_t>> by_lease_;  ///< the same by lease and whether they are live
  std::set<std::pair<Instant, TaskId>> dues_;
  std::uint64_t last_number_ = 0;
  std::uint32_t live_ = 0;
};

}  // namespace dmm
