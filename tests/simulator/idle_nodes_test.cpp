// Idle nodes lent to grid tasks: the rows of Netto et al., table 1, that need no local workload, exactly; tasks that
// are aborted and start again; and that local users are not affected.
#include <doctest/doctest.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/experiments/idle_nodes.hpp"
#include "simulator/idle_nodes/harvest.hpp"
#include "simulator/idle_nodes/lent_cluster.hpp"
#include "workloads/mini_grid.hpp"

namespace idle_nodes_test {

using namespace dmm;
using doctest::Approx;

namespace {

constexpr Instant minute(std::int64_t count) { return Instant{} + seconds(60 * count); }
constexpr Duration minutes(std::int64_t count) { return seconds(60 * count); }

JobStream stream_of(std::vector<StreamJob> jobs) {
  return [jobs = std::move(jobs), next = std::size_t{0}]() mutable -> std::optional<StreamJob> {
    if (next == jobs.size()) return std::nullopt;
    return jobs[next++];
  };
}

StreamJob job_of(std::uint64_t number, std::int64_t submit, std::int64_t run, std::uint32_t processors) {
  return {.number = number,
          .submit = minute(submit),
          .run = minutes(run),
          .estimate = minutes(run),
          .processors = processors};
}

/// A few hundred jobs of 10 to 90 nodes at a load of 0.75.
JobStream busy_stream(std::uint64_t jobs) {
  return mini_grid_jobs({.clusters = 1, .jobs_per_cluster = jobs, .seed = 3});
}

double turnaround_minutes(LentClusterRun run) {
  return run_lent_cluster(std::move(run)).turnaround.in_seconds() / 60;
}

}  // namespace

TEST_CASE("idle nodes: a bag is all of the work, whatever the length of its tasks") {
  CHECK(bag_of(7200, 5).size() == 1440);
  CHECK(bag_of(7200, 30).size() == 240);
  // 7200 = 1028 x 7 + 4.
  CHECK(bag_of(7200, 7).size() == 1029);
  CHECK(bag_of(7200, 7).back() == minutes(4));
  for (std::uint32_t length = 5; length <= 34; ++length) {
    Duration sum{};
    for (const Duration task : bag_of(7200, length)) sum += task;
    CHECK(sum == minutes(7200));
  }
}

TEST_CASE("table 1: dedicated nodes") {
  const std::vector<IdleNodesRow> rows = idle_nodes({.loads = {}}, {});
  REQUIRE(rows.size() == 2);
  for (const IdleNodesRow& row : rows) CHECK(row.turnaround_minutes == row.paper_minutes);
  CHECK(rows[0].turnaround_minutes == 7200);  // one node
  CHECK(rows[1].turnaround_minutes == 360);   // 7200 / 20
}

TEST_CASE("idle nodes: a constant number of 70 runs 1,440 tasks in 21 rounds") {
  // 1440 / 70 = 20.6, so 21 rounds of 5 minutes: 105, which is the figure of table 1 for a load of 30 %.
  const std::vector<StreamJob> job = {job_of(1, 0, 100'000, 30)};
  const LentClusterRun run{.local = stream_of(job), .tasks = bag_of(7200, 5)};
  CHECK(turnaround_minutes(run) == 105);
  CHECK(idle_nodes_paper(0.3, 100, 5) == 105);
  // 480 / 70 = 6.9 and 240 / 70 = 3.4: 7 x 15 and 4 x 30.
  for (const auto& [length, expected] : {std::pair{15U, 105.0}, std::pair{30U, 120.0}}) {
    LentClusterRun longer{.local = stream_of(job), .tasks = bag_of(7200, length)};
    CHECK(turnaround_minutes(std::move(longer)) == expected);
  }
  CHECK(run_lent_cluster({.local = stream_of(job), .tasks = bag_of(7200, 5)}).local_utilisation == Approx(0.3));
}

TEST_CASE("idle nodes: a task is aborted when its node is wanted, and starts again from zero") {
  // Two nodes, three tasks of 10 minutes. A local job has both nodes from 8 to 20: two tasks lose 8 minutes each and
  // run from 20 to 30; the third runs from 30 to 40.
  const LentClusterOutcome outcome = run_lent_cluster(
      {.nodes = 2, .local = stream_of({job_of(1, 8, 12, 2)}), .tasks = std::vector<Duration>(3, minutes(10))});
  CHECK(outcome.turnaround == minutes(40));
  CHECK(outcome.preemptions == 2);
  CHECK(outcome.lost == minutes(16));
  // Of 2 x 40 node-minutes the local job used 2 x 12.
  CHECK(outcome.local_utilisation == Approx(0.3));
}

TEST_CASE("idle nodes: a task that ends when its node is wanted has ended") {
  const LentClusterOutcome outcome = run_lent_cluster(
      {.nodes = 1, .local = stream_of({job_of(1, 10, 5, 1)}), .tasks = std::vector<Duration>(2, minutes(10))});
  CHECK(outcome.preemptions == 0);
  CHECK(outcome.turnaround == minutes(25));
}

TEST_CASE("idle nodes: a local job gets the nodes that the policy chooses") {
  const auto lost = [](NodeChoice choice, std::size_t tasks, std::vector<StreamJob> jobs) {
    return run_lent_cluster({.nodes = 2,
                             .choice = choice,
                             .local = stream_of(std::move(jobs)),
                             .tasks = std::vector<Duration>(tasks, minutes(100))})
        .lost;
  };
  // Node 0 is in use until 1, node 1 until 3, and both have tasks from then on. At 5 a job of one node comes. Chosen by
  // number, node 0 is lost after 4 minutes; otherwise the task that started last is lost, after 2.
  const std::vector<StreamJob> three = {job_of(1, 0, 1, 1), job_of(2, 0, 3, 1), job_of(3, 5, 1, 1)};
  CHECK(lost(NodeChoice::numbered, 2, three) == minutes(4));
  CHECK(lost(NodeChoice::least_lost, 2, three) == minutes(2));
  // The only task is on node 0 from 0 on; a job of one node at 5 could have node 1.
  const std::vector<StreamJob> one = {job_of(1, 5, 1, 1)};
  CHECK(lost(NodeChoice::numbered, 1, one) == minutes(5));
  CHECK(lost(NodeChoice::least_lost, 1, one) == minutes(0));
}

TEST_CASE("idle nodes: local users notice nothing") {
  using Schedule = std::vector<std::tuple<std::uint64_t, Instant, Instant>>;
  const auto schedule = [](std::vector<Duration> tasks, NodeChoice choice) {
    Schedule ends;
    const LentClusterOutcome outcome = run_lent_cluster(
        {.choice = choice,
         .local = busy_stream(300),
         .tasks = std::move(tasks),
         .submit = minute(30),
         .stops_with_the_bag = false,
         .local_ended = [&](const RunningJob& job) { ends.emplace_back(job.job.number, job.start, job.end); }});
    return std::pair(ends, outcome);
  };
  const auto [alone, nothing] = schedule({}, NodeChoice::numbered);
  CHECK(alone.size() == 300);
  CHECK(nothing.preemptions == 0);
  for (const NodeChoice choice : {NodeChoice::numbered, NodeChoice::least_lost}) {
    const auto [lent, outcome] = schedule(bag_of(7200, 11), choice);
    CHECK(outcome.preemptions > 50);
    CHECK(outcome.turnaround > minutes(72));
    CHECK(lent == alone);
  }
}

TEST_CASE("idle nodes: a log is stretched to the wanted load, and read from later on with each repetition") {
  // 4 jobs of 10 nodes x 60 minutes over 120 minutes: 2400 / (40 x 120) = a load of 0.5 on 40 nodes.
  const std::vector<StreamJob> log = {job_of(7, 30, 60, 10), job_of(8, 60, 60, 10), job_of(9, 60, 60, 10),
                                      job_of(10, 150, 60, 10)};
  const LocalJobs local = scaled_local_jobs(log, 40, minutes(20));
  const auto submits = [&](double load, std::uint32_t repetition) {
    std::vector<Instant> all;
    const JobStream stream = local(load, repetition);
    while (const auto job = stream()) {
      all.push_back(job->submit);
      CHECK(job->number == all.size());
      CHECK(job->run == minutes(60));
    }
    return all;
  };
  CHECK(submits(0.5, 0) == std::vector<Instant>{minute(0), minute(30), minute(30), minute(120)});
  CHECK(submits(0.25, 0) == std::vector<Instant>{minute(0), minute(60), minute(60), minute(240)});
  CHECK(submits(1.0, 1) ==
        std::vector<Instant>{minute(5), minute(5), minute(50)});  // 10, 10 and 100 after minute 50
  CHECK(submits(0.5, 9).empty());
}

TEST_CASE("idle nodes: a harvest keeps count of its nodes and tasks") {
  Harvest harvest(3);
  CHECK(harvest.is_done());
  CHECK(harvest.next_end() == never);
  harvest.submit(std::vector<Duration>{minutes(4), minutes(2), minutes(9)});
  harvest.lend(2);
  harvest.lend(0);
  harvest.dispatch(minute(1));  // 4 on node 0, 2 on node 2; 9 waits
  CHECK(harvest.started(0) == minute(1));
  CHECK(!harvest.started(1));
  CHECK(harvest.next_end() == minute(3));
  harvest.return_node(minute(2), 2);  // 2 waits again, before 9
  CHECK(harvest.preemptions() == 1);
  CHECK(harvest.lost() == minutes(1));
  CHECK(harvest.next_end() == minute(5));
  harvest.lend(1);
  harvest.dispatch(minute(2));
  CHECK(harvest.next_end() == minute(4));
  harvest.end_tasks(minute(4));
  CHECK(!harvest.started(1));
  harvest.return_node(minute(4), 1);  // has no task
  CHECK(harvest.preemptions() == 1);
  harvest.end_tasks(minute(5));
  harvest.dispatch(minute(5));  // 9 on node 0
  CHECK(!harvest.is_done());
  harvest.end_tasks(minute(14));
  CHECK(harvest.is_done());
}

TEST_CASE("idle nodes: turnaround grows with the load and, under load, with the length of tasks") {
  // Local jobs of 10 to 90 nodes for 225 s in the mean; the load by the time between arrivals: 112.5 / load
  // seconds.
  const LocalJobs local = [](double load, std::uint32_t repetition) {
    return mini_grid_jobs({.clusters = 1,
                           .jobs_per_cluster = 4000,
                           .mean_interarrival = from_seconds(112.5 / load),
                           .seed = 10 + repetition});
  };
  const IdleNodesSettings settings{.repetitions = 2, .submit = seconds(3600)};
  const auto minutes_at = [&](double load, std::uint32_t length) {
    const IdleNodesRow row = idle_nodes_row(settings, local, load, length);
    CHECK(row.least_minutes <= row.turnaround_minutes);
    CHECK(row.turnaround_minutes <= row.most_minutes);
    return row.turnaround_minutes;
  };
  const double light = minutes_at(0.1, 2);
  const double heavy = minutes_at(0.5, 2);
  CHECK(light > 72);
  CHECK(light < heavy);
  CHECK(heavy < minutes_at(0.5, 8));
}

}  // namespace idle_nodes_test
