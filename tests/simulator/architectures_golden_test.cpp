// The schedulers of one cluster on real logs, against figures that two independent programs agree on. The logs can't be
// shipped (workloads/README.md): set DMM_TRACES to a folder with pwa/<log>.swf.gz as in the Parallel Workloads Archive.
//
// The rules that give these figures:
//   filter    The run time is above 0. The size is column 5, else column 8, in 1 to P. No other line is left out,
//             whatever its status.
//   ties      Equal submit times are in the order of the file. At an instant ends come before arrivals
//             (simulator/architectures/engine.hpp, simulator/architectures/easy.hpp).
//   estimate  Column 9 if it is above 0, else the run time.
//   kill      The figures for backfilling have run times cut to the estimate; those for fcfs do not.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "architectures_stage.hpp"
#include "workloads/replay.hpp"

namespace architectures_golden_test {

using namespace dmm;

namespace {

struct Log {
  const char* name;
  std::uint32_t processors;
  std::uint64_t jobs;
};
constexpr Log kth{"KTH-SP2-1996-2.1-cln", 100, 28'467};
constexpr Log sdsc{"SDSC-SP2-1998-4.2-cln", 128, 54'034};
constexpr Log nasa{"NASA-iPSC-1993-3.1-cln", 128, 18'066};
constexpr Log das2{"DAS2-fs1-2003-1", 64, 38'294};

/// Averages over all jobs, in seconds.
struct Figures {
  std::uint64_t jobs = 0;
  double wait = 0;
  double bounded_slowdown = 0;  ///< with the threshold of 10 s
  double makespan = 0;          ///< from the first submission to the last end
};

/// Nothing, and a message, if the logs are missing.
std::optional<std::string> path_of(const Log& log) {
  const char* folder = std::getenv("DMM_TRACES");
  if (folder == nullptr) {
    MESSAGE("skipped: DMM_TRACES names no folder of logs");
    return std::nullopt;
  }
  const std::string path = std::string(folder) + "/pwa/" + log.name + ".swf.gz";
  if (std::filesystem::exists(path)) return path;
  MESSAGE("skipped: there is no " << path);
  return std::nullopt;
}

Figures figures(const Log& log, const std::string& path, const char* architecture, bool cut_runs_to_estimates) {
  ReplayOptions options{.logs = {{.path = path}}, .cluster_processors = {log.processors}};
  options.cut_runs_to_estimates = cut_runs_to_estimates;
  auto opened = LogReplay::open(options);
  REQUIRE(std::holds_alternative<LogReplay>(opened));
  const Grid grid = equal_clusters(1, log.processors);
  SummaryBuilder builder;
  ModelRun run{grid, *find_architecture(architecture),
               stream_of(std::make_shared<LogReplay>(std::move(std::get<LogReplay>(opened))))};
  run.sinks.outcome = [&](const SimulatedOutcome& fate) { builder.add(fate.outcome); };
  run_model(std::move(run));
  const Summary summary = builder.summary(log.processors);
  return {summary.jobs_finished, summary.average_wait_seconds, summary.average_bounded_slowdown,
          summary.makespan_seconds};
}

}  // namespace

TEST_CASE("golden values: fcfs, to the last digit") {
  struct Line {
    Log log;
    double wait;
  };
  for (const Line& line : {Line{kth, 390'091.987}, {sdsc, 1'551'989.434}, {nasa, 8.081}, {das2, 194.935}}) {
    const auto path = path_of(line.log);
    if (!path) continue;
    CAPTURE(line.log.name);
    const Figures found = figures(line.log, *path, "fcfs", false);
    CHECK(found.jobs == line.log.jobs);
    CHECK(std::abs(found.wait - line.wait) <= 0.0005);
    if (line.log.processors == kth.processors) CHECK(found.makespan == 28'781'494);
  }
}

TEST_CASE("golden values: easy, to the last digit") {
  struct Line {
    Log log;
    double wait, wait_half_digit;
    double bounded_slowdown;  ///< 0: not given
  };
  for (const Line& line : {Line{kth, 6'890.6, 0.05, 92.83},
                           {sdsc, 20'576.2, 0.05, 88.54},
                           {nasa, 4.067, 0.0005, 0},
                           {das2, 185.763, 0.0005, 0}}) {
    const auto path = path_of(line.log);
    if (!path) continue;
    CAPTURE(line.log.name);
    const Figures found = figures(line.log, *path, "easy", true);
    CHECK(found.jobs == line.log.jobs);
    CHECK(std::abs(found.wait - line.wait) <= line.wait_half_digit);
    if (line.bounded_slowdown > 0) CHECK(std::abs(found.bounded_slowdown - line.bounded_slowdown) <= 0.005);
  }
}

TEST_CASE("conservative on real logs: our own figures, so that a change is seen") {
  struct Line {
    Log log;
    double wait;
  };
  for (const Line& line : {Line{kth, 7'349.467}, {das2, 184.691}}) {
    const auto path = path_of(line.log);
    if (!path) continue;
    CAPTURE(line.log.name);
    const Figures found = figures(line.log, *path, "conservative", true);
    CHECK(found.jobs == line.log.jobs);
    CHECK(std::abs(found.wait - line.wait) <= 0.0005);
  }
}

}  // namespace architectures_golden_test
