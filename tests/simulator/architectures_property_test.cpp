// What must hold for every architecture, over random workloads: no processor is used twice, and each job has one
// outcome. An architecture that promises an order of jobs keeps it, and one that promises start times keeps them.
#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "architectures_stage.hpp"

namespace architectures_property_test {

using namespace dmm;
using namespace dmm::stage;

namespace {

constexpr int workloads_each = 25;
const std::vector<std::uint32_t> sizes = {4, 16, 7, 10};

/// No cluster ever has more processors in use than it owns; at an instant, ends come before starts.
void check_capacity(const Played& played, const std::vector<std::uint32_t>& processors) {
  std::map<std::pair<std::uint32_t, double>, std::int64_t> steps;  // by cluster and time
  for (const auto& [number, fate] : played.fates) {
    for (const ClusterShare& piece : fate.pieces) {
      steps[{piece.cluster, fate.outcome.start_seconds}] += piece.processors;
      if (fate.outcome.end_seconds >= 0) steps[{piece.cluster, fate.outcome.end_seconds}] -= piece.processors;
    }
  }
  std::vector<std::int64_t> in_use(processors.size());
  for (const auto& [place, more] : steps) {
    in_use[place.first] += more;
    REQUIRE(in_use[place.first] >= 0);
    REQUIRE(in_use[place.first] <= processors[place.first]);
  }
}

void check_fates(const Played& played, std::size_t jobs, bool is_plain) {
  REQUIRE(played.fates.size() == jobs);
  REQUIRE(played.totals.jobs_submitted == jobs);
  for (const auto& [number, fate] : played.fates) {
    CAPTURE(number);
    REQUIRE(fate.outcome.state == JobOutcome::State::finished);
    REQUIRE(fate.outcome.start_seconds >= fate.outcome.submit_seconds);
    const double run = fate.outcome.end_seconds - fate.outcome.start_seconds;
    if (is_plain)
      REQUIRE(run == doctest::Approx(fate.job.run.in_seconds()));
    else
      REQUIRE(run >= doctest::Approx(fate.job.run.in_seconds()));
    std::uint32_t sum = 0;
    for (const ClusterShare& piece : fate.pieces) sum += piece.processors;
    REQUIRE(sum == fate.job.processors);
  }
}

/// Jobs start in the order of arrival: by home, or over all.
void check_order(const Played& played, bool by_home) {
  std::map<std::uint32_t, double> last;
  for (const auto& [number, fate] : played.fates) {
    double& before = last[by_home ? fate.job.home : 0];
    CAPTURE(number);
    REQUIRE(fate.outcome.start_seconds >= before);
    before = fate.outcome.start_seconds;
  }
}

void check_is_at_home(const Played& played) {
  for (const auto& [number, fate] : played.fates) {
    REQUIRE(fate.pieces.size() == 1);
    REQUIRE(fate.pieces[0].cluster == fate.job.home);
    REQUIRE(fate.outcome.origin == Origin::local);
  }
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Runs a scheduler step by step, as the engine does, and lets `look` see it after each decision.
template <class Model, class Look>
std::map<std::uint64_t, Instant> play_by_hand(Model& model, Floor& floor, const std::vector<StreamJob>& jobs,
                                              const Look& look) {
  std::map<std::uint64_t, Instant> starts;
  std::size_t next = 0;
  while (true) {
    const Instant arrival = next < jobs.size() ? jobs[next].submit : never;
    const Instant now = std::min({arrival, floor.next_end(), model.next_wake()});
    if (now == never) return starts;
    floor.set_now(now);
    while (floor.next_end() <= now) {
      const RunningJob& ended = floor.end_next();
      starts[ended.job.number] = ended.start;
      model.ended(floor, ended);
    }
    for (; next < jobs.size() && jobs[next].submit <= now; ++next) {
      floor.submitted(jobs[next]);
      model.arrive(floor, jobs[next]);
    }
    model.settle(floor);
    look(now);
  }
}

}  // namespace

TEST_CASE("every architecture: capacity, one fate a job, and the order that it promises") {
  for (const ArchitectureEntry& entry : architectures()) {
    CAPTURE(entry.name);
    for (std::uint64_t seed = 1; seed <= workloads_each; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      const std::vector<StreamJob> jobs = random_jobs(random, 200, sizes, 30 + 10 * static_cast<double>(seed));
      const Played played = play(std::string(entry.name), sizes, jobs);
      check_fates(played, jobs.size(), true);
      check_capacity(played, sizes);
      if (is_among(entry.name, {"fcfs", "sep-c", "condor"})) check_order(played, true);
      if (is_among(entry.name, {"cern", "koala"})) check_order(played, false);
      if (is_among(entry.name, {"fcfs", "sep-c", "condor", "easy", "conservative", "no-sharing"}))
        check_is_at_home(played);
      if (entry.name == "condor" || entry.name == "fcondor")
        for (const double start : played.starts()) REQUIRE(std::fmod(start, 300) == 0);
    }
  }
}

TEST_CASE("every architecture: a run that stops early leaves no job without a fate") {
  for (const ArchitectureEntry& entry : architectures()) {
    CAPTURE(entry.name);
    Random random(11);
    const std::vector<StreamJob> jobs = random_jobs(random, 200, sizes, 10);
    SimulationOptions options;
    options.cool_down = false;
    const Played played = play(std::string(entry.name), sizes, jobs, options);
    CHECK(played.fates.size() == jobs.size());
    CHECK(played.totals.ended == jobs.back().submit);
    for (const auto& [number, fate] : played.fates) {
      const bool finished = fate.outcome.state == JobOutcome::State::finished;
      CHECK((finished || fate.outcome.state == JobOutcome::State::unfinished));
      CHECK(finished == (fate.outcome.end_seconds >= 0));
    }
  }
}

TEST_CASE("every architecture: the same workload gives the same run") {
  for (const ArchitectureEntry& entry : architectures()) {
    CAPTURE(entry.name);
    Random random(12);
    const std::vector<StreamJob> jobs = random_jobs(random, 300, sizes, 40);
    const std::string name(entry.name);
    const Played once = play(name, sizes, jobs);
    const Played again = play(name, sizes, jobs);
    CHECK(once.starts() == again.starts());
    CHECK(once.totals.messages == again.totals.messages);
  }
}

TEST_CASE(
    "change of scheduler: any takes over from any other, also while co-allocated jobs slow one another down") {
  for (std::uint64_t seed = 1; seed <= 4 * workloads_each; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::vector<StreamJob> jobs = random_jobs(random, 200, sizes, 50);
    SimulationOptions options;
    options.execution = SharedLinks{.link_megabits = 100, .bandwidth_megabits = 200};
    for (int change = 1; change <= 12; ++change) {
      const std::string name(architectures()[random.below(architectures().size())].name);
      options.changes.push_back({Instant{} + seconds(change * 500), random.chance(0.3) ? "bfff" : name});
    }
    const Played played = play("bfff", sizes, jobs, options);
    check_fates(played, jobs.size(), false);
    check_capacity(played, sizes);
  }
}

TEST_CASE("easy: the head starts no later than it was ever promised") {
  for (std::uint64_t seed = 1; seed <= 2 * workloads_each; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Grid grid = grid_of_sizes({16});
    const std::vector<StreamJob> jobs = random_jobs(random, 300, {16}, 60);
    Floor floor(grid);
    Easy easy(floor, {});
    std::map<std::uint64_t, Instant> promises;
    const auto look = [&](Instant now) {
      const std::optional<Instant> promise = easy.promise(floor, 0);
      if (!promise) return;
      REQUIRE(*promise > now);
      const std::uint64_t head = easy.head(0);
      if (promises.count(head) != 0) REQUIRE(*promise <= promises[head]);
      promises[head] = *promise;
    };
    const auto starts = play_by_hand(easy, floor, jobs, look);
    CHECK(starts.size() == jobs.size());
    CHECK_FALSE(promises.empty());
    for (const auto& [number, promise] : promises) REQUIRE(starts.at(number) <= promise);
  }
}

TEST_CASE("conservative: no job starts later than it was ever promised") {
  for (std::uint64_t seed = 1; seed <= 2 * workloads_each; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Grid grid = grid_of_sizes({16});
    const std::vector<StreamJob> jobs = random_jobs(random, 300, {16}, 60);
    Floor floor(grid);
    Conservative conservative(floor, {});
    std::map<std::uint64_t, Instant> promises;
    const auto look = [&](Instant now) {
      for (const auto& [number, promise] : conservative.promises()) {
        REQUIRE(promise > now);
        const auto before = promises.try_emplace(number, promise).first;
        REQUIRE(promise <= before->second);
        before->second = promise;
      }
    };
    const auto starts = play_by_hand(conservative, floor, jobs, look);
    CHECK(starts.size() == jobs.size());
    CHECK_FALSE(promises.empty());
    for (const auto& [number, promise] : promises) REQUIRE(starts.at(number) <= promise);
  }
}

TEST_CASE("easy and conservative: they agree with fcfs where nothing can be backfilled") {
  Random random(3);
  std::vector<StreamJob> jobs = random_jobs(random, 200, {16}, 100);
  for (StreamJob& job : jobs) job.processors = 9 + job.processors % 8;  // no two fit side by side
  const auto expected = play("fcfs", {16}, jobs).starts();
  CHECK(play("easy", {16}, jobs).starts() == expected);
  CHECK(play("conservative", {16}, jobs).starts() == expected);
}

}  // namespace architectures_property_test
