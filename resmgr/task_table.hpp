// The tasks of a resource manager: those that wait to start, those that run, and the outcomes that are kept until
// they are fetched. Indices let each event find the few tasks that it concerns. No decisions are made here.
//
// All tasks of a job, of every component and attempt, are found together; nearly always there is one. A task that
// isn't over also has a number, in order of arrival, by which Slots and Presence name it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "manager/lookup.hpp"
#include "resmgr/marks.hpp"
#include "resmgr/task_record.hpp"

namespace dmm {

class TaskTable {
 public:
  /// A new task, parked. There must be none of this name.
  TaskRecord& add(Instant now, const TaskId& id, Epoch lease);
  /// Moves a task on; never back.
  void enter(Instant now, TaskRecord& task, TaskState state);
  void set_due(TaskRecord& task, Instant due);
  void erase(TaskRecord& task);
  /// The ledger's row of the task is to be written or erased.
  void changed(const TaskId& id) { changed_.add(id); }
  const std::vector<TaskId>& take_changed() { return changed_.take(); }

  /// The task, or nullptr. References stay valid until it is erased.
  TaskRecord* find(const TaskId& id) { return found(id); }
  const TaskRecord* find(const TaskId& id) const { return found(id); }
  /// The task of this number, which isn't over.
  TaskRecord& at(std::uint64_t number);
  const TaskRecord& at(std::uint64_t number) const;

  /// All components of a request.
  std::vector<TaskRecord*> of(const RequestId& request) const;
  /// All tasks of earlier attempts at the job of this task, and of later ones.
  std::vector<TaskRecord*> earlier_attempts(const TaskId& id) const;
  std::vector<TaskRecord*> later_attempts(const TaskId& id) const;
  /// Numbers of the tasks of a lease that are parked, and of those that are live, each in order of arrival.
  std::vector<std::uint64_t> parked_of(Epoch lease) const;
  std::vector<std::uint64_t> live_of(Epoch lease) const;
  /// Whether a task of the lease isn't over.
  bool has_open(Epoch lease) const;
  /// Numbers of all tasks that aren't over.
  std::vector<std::uint64_t> open() const;

  /// How many tasks of a lease are over.
  std::size_t ended_of(Epoch lease) const;
  /// How many tasks are over in all, and the task that is forgotten next; nullptr if there is none.
  std::size_t ended() const { return ended_dues_.size(); }
  TaskRecord* first_ended() { return ended_dues_.empty() ? nullptr : ended_dues_.begin()->task; }
  /// How many Starts of a job manager are parked; and how many bytes the programs of all parked Starts take.
  std::uint32_t parked_of(const Party& job_manager) const;
  std::uint64_t parked_bytes() const { return parked_bytes_; }
  /// Gives a parked task its program. The caller takes the program away before the task is parked no longer.
  void set_program(TaskRecord& task, Program program);

  Instant next_due() const;
  /// Tasks that are due; they have no due time any more.
  std::vector<TaskId> take_due(Instant now);

  std::uint32_t live() const { return live_; }
  /// All tasks, in the order of their ids: for rare walks over everything.
  auto all() const {
    return std::views::transform(sorted(), [](TaskRecord* task) -> const TaskRecord& { return *task; });
  }
  /// For tests: the indices agree with a recount.
  void check_invariants() const;

 private:
  struct Due {
    Instant at;
    TaskRecord* task;
    std::strong_ordering operator<=>(const Due& other) const {
      return at != other.at ? at <=> other.at : task->id <=> other.task->id;
    }
  };
  using Tasks = Few<std::unique_ptr<TaskRecord>>;  ///< in the order of their ids
  std::vector<std::uint64_t> of(Epoch lease, bool live) const;
  std::vector<TaskRecord*> sorted() const;
  DenseSet<Due>& dues_of(const TaskRecord& task) { return task.state == TaskState::ended ? ended_dues_ : dues_; }
  TaskRecord* found(const TaskId& id) const;
  template <class Chosen>
  std::vector<TaskRecord*> of_job(const RequestId& request, Chosen is_chosen) const;

  Lookup<RequestId, Tasks> jobs_;              ///< by their first attempts' names
  DenseMap<std::uint64_t, TaskRecord*> open_;  ///< by number, those that aren't over
  Lookup<Epoch, Few<TaskRecord*>> by_lease_;   ///< the same by lease
  Lookup<Epoch, std::size_t> ended_of_;        ///< how many are over, by lease
  Lookup<Party, std::uint32_t> parked_of_;     ///< how many are parked with a program, by job manager
  std::uint64_t parked_bytes_ = 0;
  DenseSet<Due> dues_, ended_dues_;  ///< of those that aren't over, and that are
  Marks<TaskId> changed_;
  std::uint64_t last_number_ = 0;
  std::uint32_t live_ = 0;
};

}  // namespace dmm
