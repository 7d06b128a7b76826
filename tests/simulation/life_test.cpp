// Ordinary life at sizes at which it used to fail: borrowers that want the same nodes, bursts of jobs, slow links and
// long chains. Each test prints its measurements.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/simulation/life_stage.hpp"

namespace dmm::life_test {
namespace {

using namespace life_stage;

// ---- borrowers of one owner ----------------------------------------------------------------------------------------

/// An owner of 100 processors without users, and its children, which have users and no processors.
Topology one_owner(std::size_t borrowers, const std::string& settings) {
  std::string text = R"({"name": "sharing", "defaults": {)" + settings + R"(}, "sites": [
    {"name": "owner", "clusters": [{"name": "c", "nodes": 100}]})";
  for (std::size_t i = 0; i < borrowers; ++i)
    text += R"(, {"name": "b)" + std::to_string(i) + R"(", "parent": "owner", "users": ["u"]})";
  return topology_of(text + "]}");
}

/// Processor seconds that each borrower used in an hour, after ten minutes that don't count.
std::vector<double> use_of_an_hour(std::size_t borrowers, const std::string& settings) {
  constexpr Instant begin = Instant{} + seconds(600), end = begin + seconds(3600);
  World world(one_owner(borrowers, settings), quiet_world());
  // More jobs than can run in that time. They are submitted one borrower after another, so that the first begins with
  // all nodes.
  for (std::size_t i = 0; i < borrowers; ++i) {
    world.run_until(Instant{} + seconds(5 * static_cast<std::int64_t>(i + 1)));
    const Party user = job_manager_of(SiteName("b" + std::to_string(i)), "u");
    world.submit(user, sleeper(1, 300), 1600);
  }
  world.run_until(end);
  std::vector<double> used(borrowers);
  for (const Submission& submission : world.submissions()) {
    const JobView job = view_of(world, submission);
    if (!job.started) continue;
    const Instant from = std::max(*job.started, begin), to = std::min(job.ended.value_or(end), end);
    const std::size_t borrower = std::stoul(std::string(submission.job_manager.site.text).substr(1));
    if (to > from) used[borrower] += (to - from).in_seconds();
  }
  return used;
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double value : values) all += value;
  return all;
}

/// Jain's index of fairness: 1 if all are equal, 1/n if one borrower has everything.
double jain(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return sum(values) * sum(values) / (static_cast<double>(values.size()) * squares);
}

}  // namespace

TEST_CASE("life: borrowers of equal demand get equal shares, at little cost") {
  for (const std::size_t borrowers : {2, 5, 20}) {
    const auto shared = use_of_an_hour(borrowers, "");
    std::printf("%zu borrowers: Jain's index %.4f, %.2f %% of the nodes' time used\n", borrowers, jain(shared),
                sum(shared) / 3600);
    CHECK(jain(shared) >= 0.95);
    CHECK(sum(shared) >= 0.95 * 100 * 3600);  // unbounded reuse could not use more
  }
  // Without any sharing the first borrower keeps its nodes: this demand has to be shared.
  const auto unbounded =
      use_of_an_hour(2, R"("reuse_jobs_max": 1000000, "reuse_length_max_seconds": 1000000, "turn_limit_seconds": 0,
            "use_hints": false)");
  std::printf("2 borrowers, nothing shared: Jain's index %.4f\n", jain(unbounded));
  CHECK(jain(unbounded) < 0.95);
}

TEST_CASE(
    "life: a burst of jobs at one site starts within seconds at its idle neighbours, at few messages a job") {
  std::string text = R"({"name": "burst", "sites": [{"name": "home", "clusters": [{"name": "c", "nodes": 100}],
                         "users": ["u"]})";
  for (int i = 0; i < 10; ++i)
    text += R"(, {"name": "n)" + std::to_string(i) +
            R"(", "parent": "home", "clusters": [{"name": "c", "nodes": 500}]})";
  World world(topology_of(text + "]}"), quiet_world());
  world.run_until(Instant{} + seconds(5));
  const Party user = job_manager_of(SiteName("home"), "u");
  const auto before = world.messages_by_kind();
  world.submit(user, sleeper(1, 600), 5000);
  double last = 0;
  world.run_until(Instant{} + seconds(120));
  std::size_t started = 0;
  for (const Submission& submission : world.submissions()) {
    const JobView job = view_of(world, submission);
    if (!job.started) continue;
    ++started;
    last = std::max(last, (*job.started - job.submitted).in_seconds());
  }
  const auto after = world.messages_by_kind();
  double messages = 0;
  for (std::size_t kind = 0; kind < after.size(); ++kind)
    if (kind != static_cast<std::size_t>(MessageKind::keep_alive))
      messages += static_cast<double>(after[kind] - before[kind]) / 5000;
  std::printf("burst of 5000: %zu started, the last after %.1f s, %.1f messages a job\n", started, last, messages);
  CHECK(started == 5000);
  CHECK(last <= 30);
  CHECK(messages <= 20);
}

namespace {

/// A line of sites: the first has a user, the last has all nodes.
std::string line_of(int hops, bool direct_routes = false) {
  std::string text = R"({"name": "far", "sites": [{"name": "s0", "users": ["u"]})";
  for (int i = 1; i <= hops; ++i)
    text += R"(, {"name": "s)" + std::to_string(i) + R"(", "parent": "s)" + std::to_string(i - 1) + '"' +
            (i < hops ? ""
                      : std::string(R"(, "clusters": [{"name": "c", "nodes": 4}], "direct_routes": )") +
                            (direct_routes ? "true" : "false")) +
            "}";
  return text + "]}";
}

/// The outcomes of jobs, and how long the last job took.
struct Became {
  std::size_t finished = 0;
  std::uint32_t reruns = 0;  ///< attempts beyond the first, charged or not
  double last = 0;           ///< seconds
};

/// Submits jobs of 2 processors and a minute at the near end of the line, without reruns, and waits for all.
Became run_jobs(World& world, std::uint32_t jobs) {
  JobDescription job = sleeper(2, 60, 16);
  job.reruns_max = 0;
  world.submit(job_manager_of(SiteName("s0"), "u"), job, jobs);
  const Instant limit = world.now() + seconds(4 * 3600);
  while (!world.quiet() && world.next_instant() <= limit) world.run_until(world.now() + seconds(10));
  Became became;
  for (const Submission& submission : world.submissions()) {
    const JobView view = view_of(world, submission);
    became.finished += view.state == JobState::finished;
    became.reruns += view.request.attempt - 1;
    if (view.ended) became.last = std::max(became.last, (*view.ended - view.submitted).in_seconds());
  }
  return became;
}

}  // namespace

TEST_CASE("life: sixteen hops and five seconds each way lose no job and rerun none") {
  int hops = 16;
  SUBCASE("one hop") { hops = 1; }
  SUBCASE("sixteen hops") {}
  for (const Duration latency : {milliseconds(100), seconds(1), milliseconds(2500), seconds(5)}) {
    World world(topology_of(line_of(hops)), quiet_world(latency));
    world.run_until(Instant{} + seconds(600));
    const auto [finished, reruns, last] = run_jobs(world, 4);
    std::printf("%d hops, latency %.1f s: %zu of 4 finished, %u reruns, the last after %.0f s\n", hops,
                latency.in_seconds(), finished, reruns, last);
    CHECK(finished == 4);
    CHECK(reruns == 0);
  }
}

TEST_CASE("life: links that came up this second, however far and uneven, lose no job and rerun none") {
  struct Way {
    int hops;
    double latency, jitter;
  };
  constexpr Way ways[] = {{2, 4, 1}, {2, 1, 1}, {1, 2, 2}, {1, 3, 2}, {10, 0.3, 0.3}, {16, 5, 1}, {5, 0.05, 0.2}};
  for (const bool direct : {false, true})
    for (const auto& [hops, latency, jitter] : ways)
      for (const std::uint64_t seed : {1, 2, 3}) {
        WorldSettings settings = quiet_world(from_seconds(latency));
        settings.network.jitter = from_seconds(jitter);
        settings.seed = seed;
        World world(topology_of(line_of(hops, direct)), settings);
        world.run_until(Instant{} + milliseconds(500));
        const auto [finished, reruns, last] = run_jobs(world, 20);
        std::printf(
            "%s, %d hops of %.2f to %.2f s, seed %llu: %zu of 20 finished, %u reruns, the last after %.0f s\n",
            direct ? "direct" : "relayed", hops, latency, latency + jitter, static_cast<unsigned long long>(seed),
            finished, reruns, last);
        CHECK(finished == 20);
        CHECK(reruns == 0);
      }
}

}  // namespace dmm::life_test
