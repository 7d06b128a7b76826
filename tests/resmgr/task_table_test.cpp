// The tasks of a resource manager, alone: found by job, lease, job manager and time.
#include "resmgr/task_table.hpp"

#include <doctest/doctest.h>

namespace dmm::task_table_test {
namespace {

using S = TaskState;
using Numbers = std::vector<std::uint64_t>;

constexpr Instant start{seconds(100).microseconds};
constexpr Epoch old{1, 5}, young{1, 6};

TaskId id(std::uint64_t job, std::uint32_t attempt = 1, std::uint32_t component = 0, const char* user = "alice") {
  return {{SiteName("das"), user, job, attempt}, component};
}

/// Moves a task on, through all states between.
void advance(TaskTable& tasks, TaskRecord& task, TaskState to) {
  for (const TaskState state : {S::starting, S::running, S::ending, S::ended}) {
    if (state <= task.state || state > to) continue;
    if (state == S::ending) task.cause = EndKind::stopped;
    if (state == S::ended) task.outcome = std::make_unique<Ended>();
    tasks.enter(start + seconds(1), task, state);
    tasks.check_invariants();
  }
}

TaskRecord& add(TaskTable& tasks, const TaskId& task, TaskState state = S::parked, Epoch lease = old) {
  TaskRecord& added = tasks.add(start, task, lease);
  advance(tasks, added, state);
  return added;
}

std::vector<TaskId> ids_of(const std::vector<TaskRecord*>& tasks) {
  std::vector<TaskId> ids;
  for (const TaskRecord* task : tasks) ids.push_back(task->id);
  return ids;
}

using Ids = std::vector<TaskId>;

}  // namespace

TEST_CASE("task table: in an empty table there is nothing to find or due") {
  TaskTable tasks;
  CHECK(tasks.find(id(1)) == nullptr);
  CHECK(std::as_const(tasks).find(id(1)) == nullptr);
  CHECK(tasks.of(id(1).request).empty());
  CHECK(tasks.parked_of(old).empty());
  CHECK(tasks.live_of(old).empty());
  CHECK_FALSE(tasks.has_open(old));
  CHECK(tasks.open().empty());
  CHECK(tasks.ended_of(old) == 0);
  CHECK(tasks.first_ended() == nullptr);
  CHECK(tasks.parked_of(job_manager_of(id(1).request)) == 0);
  CHECK(tasks.next_due() == never);
  CHECK(tasks.take_due(never - seconds(1)).empty());
  CHECK(tasks.all().empty());
}

TEST_CASE("task table: a task is listed by what its state is") {
  struct Row {
    TaskState state;
    const char* text;
    bool parked, live, open;
  };
  const Row rows[] = {{S::parked, "parked", true, false, true},
                      {S::starting, "starting", false, true, true},
                      {S::running, "running", false, true, true},
                      {S::ending, "ending", false, true, true},
                      {S::ended, "ended", false, false, false}};
  for (const Row& row : rows) {
    TaskTable tasks;
    TaskRecord& task = add(tasks, id(1), row.state);
    INFO(row.text);
    CHECK(to_text(task.state) == row.text);
    CHECK(task.number == 1);
    CHECK(task.since == (row.state == S::parked ? start : start + seconds(1)));
    CHECK(tasks.find(id(1)) == &task);
    CHECK(tasks.parked_of(old) == (row.parked ? Numbers{1} : Numbers{}));
    CHECK(tasks.live_of(old) == (row.live ? Numbers{1} : Numbers{}));
    CHECK(tasks.live() == (row.live ? 1 : 0));
    CHECK(tasks.open() == (row.open ? Numbers{1} : Numbers{}));
    CHECK(tasks.has_open(old) == row.open);
    CHECK(tasks.ended_of(old) == (row.open ? 0 : 1));
    CHECK_FALSE(tasks.has_open(young));
    if (row.open) CHECK(&tasks.at(1) == &task);
  }
}

TEST_CASE("task table: the tasks of a lease are listed in order of arrival, each kind apart") {
  TaskTable tasks;
  for (const std::uint64_t job : {9, 8}) add(tasks, id(job), S::running);
  for (const std::uint64_t job : {7, 6}) add(tasks, id(job));
  add(tasks, id(5), S::running, young);
  CHECK(tasks.live_of(old) == Numbers{1, 2});
  CHECK(tasks.parked_of(old) == Numbers{3, 4});
  CHECK(tasks.live_of(young) == Numbers{5});
  advance(tasks, tasks.at(1), S::ended);
  CHECK(tasks.live_of(old) == Numbers{2});
  CHECK(tasks.open() == Numbers{2, 3, 4, 5});
  CHECK(tasks.live() == 2);
  Ids all;
  for (const TaskRecord& task : tasks.all()) all.push_back(task.id);
  CHECK(all == Ids{id(5), id(6), id(7), id(8), id(9)});
}

TEST_CASE("task table: components and attempts of a job are told apart") {
  TaskTable tasks;
  for (const TaskId& task : {id(1, 3), id(1, 2, 1), id(1, 2, 0), id(1, 1), id(2, 1), id(1, 2, 0, "bob")})
    add(tasks, task);
  struct Row {
    std::uint32_t attempt;
    Ids same, earlier, later;
  };
  const Row rows[] = {
      {1, {id(1, 1)}, {}, {id(1, 2, 0), id(1, 2, 1), id(1, 3)}},
      {2, {id(1, 2, 0), id(1, 2, 1)}, {id(1, 1)}, {id(1, 3)}},
      {3, {id(1, 3)}, {id(1, 1), id(1, 2, 0), id(1, 2, 1)}, {}},
      {4, {}, {id(1, 1), id(1, 2, 0), id(1, 2, 1), id(1, 3)}, {}},
  };
  for (const Row& row : rows) {
    const TaskId task = id(1, row.attempt);
    CAPTURE(row.attempt);
    CHECK(ids_of(tasks.of(task.request)) == row.same);
    CHECK(ids_of(tasks.earlier_attempts(task)) == row.earlier);
    CHECK(ids_of(tasks.later_attempts(task)) == row.later);
  }
  CHECK(tasks.find(id(1, 2, 2)) == nullptr);
  CHECK(tasks.find(id(1, 2, 0, "bob"))->number == 6);
}

TEST_CASE("task table: a task is due at its time, those that are over after the others, each once") {
  TaskTable tasks;
  tasks.set_due(add(tasks, id(4), S::ended), start + seconds(1));
  tasks.set_due(add(tasks, id(3)), start + seconds(3));
  tasks.set_due(add(tasks, id(2)), start + seconds(2));
  tasks.set_due(add(tasks, id(1)), start + seconds(2));
  tasks.check_invariants();
  CHECK(tasks.next_due() == start + seconds(1));
  CHECK(tasks.take_due(start + seconds(1) - microseconds(1)).empty());
  CHECK(tasks.take_due(start + seconds(2)) == Ids{id(1), id(2), id(4)});
  CHECK(tasks.find(id(1))->due == never);
  CHECK(tasks.next_due() == start + seconds(3));
  TaskRecord& last = *tasks.find(id(3));
  tasks.set_due(last, start + seconds(5));
  CHECK(tasks.take_due(start + seconds(4)).empty());
  tasks.set_due(last, never);
  CHECK(tasks.next_due() == never);
  tasks.set_due(last, start + seconds(6));
  advance(tasks, last, S::ended);  // the time goes with it
  CHECK(tasks.next_due() == never);
}

TEST_CASE("task table: outcomes are forgotten in order of time, and their job with the last") {
  TaskTable tasks;
  for (const std::uint32_t component : {0, 1, 2}) {
    TaskRecord& task = add(tasks, id(1, 1, component), S::ended, component == 2 ? young : old);
    tasks.set_due(task, start + seconds(9 - component));
  }
  CHECK(tasks.ended() == 3);
  CHECK(tasks.ended_of(old) == 2);
  for (const std::uint32_t component : {2, 1, 0}) {
    REQUIRE(tasks.first_ended());
    CHECK(tasks.first_ended()->id == id(1, 1, component));
    tasks.erase(*tasks.first_ended());
    tasks.check_invariants();
    CHECK(tasks.find(id(1, 1, component)) == nullptr);
    CHECK(tasks.of(id(1).request).size() == component);
  }
  CHECK(tasks.ended() == 0);
  CHECK(tasks.ended_of(old) == 0);
  CHECK(tasks.ended_of(young) == 0);
  CHECK(add(tasks, id(1)).number == 4);  // the name is free again, the number isn't
}

TEST_CASE("task table: tasks with changed rows are told in order, each once") {
  TaskTable tasks;
  CHECK(tasks.take_changed().empty());
  for (const std::uint64_t job : {3, 1, 3, 2}) tasks.changed(id(job));
  CHECK(tasks.take_changed() == Ids{id(1), id(2), id(3)});
  tasks.changed(id(9));
  CHECK(tasks.take_changed() == Ids{id(9)});
  CHECK(tasks.take_changed().empty());
}

TEST_CASE("task table: parked programs are counted by job manager, and in bytes") {
  const Party alice = job_manager_of(id(1).request), bob = job_manager_of(id(1, 1, 0, "bob").request);
  TaskTable tasks;
  TaskRecord& first = add(tasks, id(1));
  TaskRecord& second = add(tasks, id(2));
  add(tasks, id(3, 1, 0, "bob"));
  CHECK(tasks.parked_of(alice) == 0);
  tasks.set_program(first, Program{});
  const std::uint64_t least = tasks.parked_bytes();
  CHECK(least >= sizeof(Program));
  Program program;
  program.arguments = {"x", std::string(1000, 'x')};
  program.environment = {std::string(100, 'x')};
  program.script = std::string(2000, '#');
  program.input = std::string(300, 'i');
  tasks.set_program(second, std::move(program));
  CHECK(tasks.parked_bytes() == 2 * least + 3 * sizeof(std::string) + 1101 + 2300);
  CHECK(tasks.parked_of(alice) == 2);
  CHECK(tasks.parked_of(bob) == 0);
  tasks.enter(start, second, S::starting);
  CHECK(tasks.parked_bytes() == least);
  CHECK(tasks.parked_of(alice) == 1);
  second.program.reset();  // the backend took it
  tasks.check_invariants();
  first.outcome = std::make_unique<Ended>();
  tasks.enter(start, first, S::ended);  // never started
  CHECK(tasks.parked_bytes() == 0);
  CHECK(tasks.parked_of(alice) == 0);
}

}  // namespace dmm::task_table_test
