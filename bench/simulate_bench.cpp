// The speed of the simulator. Each cluster gets the same load from a stream of jobs: exponential gaps and run times of
// an hour, 95 % serial, the rest of 2 to 15 processors. The commands:
//
//   simulate_bench dual architecture=dmm jobs=455000 load=0.7
//                                     The dual grid, with the managers themselves or a model.
//   simulate_bench tree sites=1000 jobs=1000000 load=0.7
//                                     dmm on a tree of sites of 16 processors.
//   simulate_bench one architecture=fcfs jobs=1000000 load=0.7
//                                     One cluster of 128 processors.
//   simulate_bench log file=LOG.swf.gz processors=100
//                                     First come, first served, compared with only reading the log.
#include <sys/resource.h>

#include <cmath>

#include "bench/role.hpp"
#include "simulator/architectures/dmm.hpp"
#include "simulator/architectures/engine.hpp"
#include "workloads/random.hpp"
#include "workloads/replay.hpp"

namespace dmm::bench {
namespace {

constexpr double mean_run_seconds = 3600;
constexpr double mean_processors = 0.95 + 0.05 * 8.5;
/// As in `dmm simulate`: keep-alives and hints suit jobs of an hour.
constexpr Duration term = seconds(3000);
constexpr Duration hint_interval = seconds(600);

JobStream stream_on(const Grid& grid, std::uint64_t jobs, double load) {
  std::vector<double> ends;
  double all = 0;
  for (const GridCluster& cluster : grid.clusters) ends.push_back(all += cluster.processors);
  const double gap = mean_run_seconds * mean_processors / (load * all);
  return [=, random = Random(1), number = std::uint64_t{0}, at = 0.0]() mutable -> std::optional<StreamJob> {
    if (number == jobs) return std::nullopt;
    StreamJob job;
    job.number = ++number;
    job.submit = Instant{} + from_seconds(at += random.exponential(gap));
    const double where = random.uniform() * all;
    job.home = static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), where) - ends.begin());
    job.run = job.estimate = from_seconds(1 + random.exponential(mean_run_seconds));
    job.processors = random.chance(0.95) ? 1 : 2 + static_cast<std::uint32_t>(random.below(14));
    return job;
  };
}

struct Measured {
  SimulationTotals totals;
  std::uint64_t finished = 0;
  double wait_seconds = 0;
};

SimulationSinks counting(Measured& measured) {
  SimulationSinks sinks;
  sinks.outcome = [&measured](const SimulatedOutcome& ended) {
    if (ended.outcome.state != JobOutcome::State::finished) return;
    ++measured.finished;
    measured.wait_seconds += ended.outcome.start_seconds - ended.outcome.submit_seconds;
  };
  return sinks;
}

void print(const Measured& measured, double seconds) {
  std::uint64_t messages = 0;
  for (const std::uint64_t count : measured.totals.messages) messages += count;
  const auto jobs = static_cast<double>(measured.totals.jobs_submitted);
  const auto of_kind = [&](MessageKind kind) {
    return static_cast<double>(measured.totals.messages[static_cast<std::size_t>(kind)]);
  };
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  print_result({{"jobs", jobs},
                {"finished", static_cast<double>(measured.finished)},
                {"seconds", seconds},
                {"jobs_per_second", jobs / seconds},
                {"messages", static_cast<double>(messages)},
                {"messages_per_second", static_cast<double>(messages) / seconds},
                {"messages_per_job", static_cast<double>(messages) / jobs},
                {"keep_alives_per_job", of_kind(MessageKind::keep_alive) / jobs},
                {"delegation_messages_per_job", of_kind(MessageKind::dmm) / jobs},
                {"wait_seconds", measured.wait_seconds / static_cast<double>(measured.finished)},
                {"nodes_not_home", static_cast<double>(measured.totals.nodes_not_home)},
                {"memory_kb", static_cast<double>(usage.ru_maxrss)}});
}

void measure_topology(Topology topology, const Arguments& arguments) {
  for (TopologySite& site : topology.sites) {
    site.settings.term = term;
    site.settings.hint_interval = hint_interval;
    site.settings.usage_records_max = 0;  // these aren't asked for here, and would grow with the jobs
  }
  const Grid grid = grid_of(topology);
  JobStream jobs = stream_on(grid, static_cast<std::uint64_t>(arguments.number("jobs")), arguments.number("load"));
  Measured measured;
  const double began = clock_seconds();
  measured.totals = simulate_dmm(topology, std::move(jobs), {}, {}, counting(measured));
  print(measured, clock_seconds() - began);
}

void measure_model(const Grid& grid, const Arguments& arguments) {
  const ArchitectureEntry* entry = find_architecture(arguments.text("architecture"));
  if (!entry) fail("no such architecture");
  JobStream jobs = stream_on(grid, static_cast<std::uint64_t>(arguments.number("jobs")), arguments.number("load"));
  Measured measured;
  const double began = clock_seconds();
  measured.totals =
      run_model({.grid = grid, .architecture = *entry, .jobs = std::move(jobs), .sinks = counting(measured)});
  print(measured, clock_seconds() - began);
}

void measure_dual(const Arguments& arguments) {
  auto read = read_topology(DMM_SOURCE_DIR "/topologies/dual-grid.json");
  if (const auto* error = std::get_if<ConfigError>(&read)) fail(error->text);
  Topology topology = std::get<Topology>(std::move(read));
  if (arguments.text("architecture") == "dmm") return measure_topology(std::move(topology), arguments);
  measure_model(grid_of(topology), arguments);
}

// Ten children for each site, siblings in groups of ten.
void measure_tree(const Arguments& arguments) {
  Topology topology{.name = "tree", .description = {}, .sites = {}};
  const auto name = [](std::size_t i) { return SiteName("s" + std::to_string(i)); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(arguments.number("sites")); ++i) {
    TopologySite site{.name = name(i),
                      .number = {},
                      .parent = {},
                      .siblings = {},
                      .clusters = {},
                      .users = {"u"},
                      .limits = {},
                      .settings = {}};
    if (i > 0) site.parent = name((i - 1) / 10);
    for (std::size_t k = (i + 9) / 10 * 10 - 9; i > 0 && k < i; ++k) site.siblings.push_back(name(k));
    site.clusters = {{.name = ClusterName("nodes"), .nodes = 16}};
    topology.sites.push_back(std::move(site));
  }
  if (const auto error = link_sites(topology)) fail(error->text);
  measure_topology(std::move(topology), arguments);
}

// Reads the log twice, once with a schedule: the difference is the scheduler's time.
void measure_log(const Arguments& arguments) {
  const Grid grid = equal_clusters(1, static_cast<std::uint32_t>(arguments.number("processors")));
  const auto open = [&] {
    ReplayOptions options;
    options.logs = {{.path = arguments.text("file")}};
    options.cluster_processors = {grid.clusters.front().processors};
    options.order = OrderPolicy::buffer;
    auto replay = LogReplay::open(std::move(options));
    if (const auto* error = std::get_if<WorkloadError>(&replay)) fail(error->text);
    return stream_of(std::make_shared<LogReplay>(std::get<LogReplay>(std::move(replay))));
  };
  const double began = clock_seconds();
  JobStream only = open();
  std::uint64_t read = 0;
  while (only()) ++read;
  const double reading = clock_seconds() - began;
  Measured measured;
  measured.totals = run_model(
      {.grid = grid, .architecture = *find_architecture("fcfs"), .jobs = open(), .sinks = counting(measured)});
  const double both = clock_seconds() - began - reading;
  print_result({{"jobs", static_cast<double>(read)},
                {"reading_seconds", reading},
                {"seconds", both},
                {"jobs_per_second", static_cast<double>(read) / std::max(1e-9, both - reading)},
                {"wait_seconds", measured.wait_seconds / static_cast<double>(measured.finished)}});
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  using namespace dmm::bench;
  const Arguments arguments(argc, argv);
  return play(arguments, "simulate_bench",
              {{"dual", [&] { measure_dual(arguments); }},
               {"tree", [&] { measure_tree(arguments); }},
               {"one", [&] { measure_model(dmm::equal_clusters(1, 128), arguments); }},
               {"log", [&] { measure_log(arguments); }}});
}
