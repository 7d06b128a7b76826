// A stage for the modelled architectures: workloads written as tables, and the outcome of each job, so that a schedule
// can be compared with one worked out by hand.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "simulator/architectures/engine.hpp"
#include "workloads/random.hpp"

namespace dmm::stage {

/// One line of a workload, in seconds.
struct Row {
  double submit = 0;
  double run = 0;
  std::uint32_t processors = 1;
  double estimate = 0;  ///< 0: the run time
  std::uint32_t home = 0;
  std::uint32_t user = 0;
};

inline std::vector<StreamJob> jobs_of(const std::vector<Row>& rows) {
  std::vector<StreamJob> jobs;
  for (const Row& row : rows)
    jobs.push_back({.number = jobs.size() + 1,
                    .home = row.home,
                    .user = row.user,
                    .submit = Instant{} + from_seconds(row.submit),
                    .run = from_seconds(row.run),
                    .estimate = from_seconds(row.estimate > 0 ? row.estimate : row.run),
                    .processors = row.processors});
  return jobs;
}

inline JobStream stream_of(std::vector<StreamJob> jobs) {
  return [jobs = std::move(jobs), next = std::size_t{0}]() mutable -> std::optional<StreamJob> {
    return next < jobs.size() ? std::optional(jobs[next++]) : std::nullopt;
  };
}

/// The outcome of a job.
struct Fate {
  StreamJob job;
  JobOutcome outcome;
  std::vector<ClusterShare> pieces;
};

struct Played {
  std::map<std::uint64_t, Fate> fates;  ///< by job number
  SimulationTotals totals;

  /// When each job started, by job number; -1: never.
  std::vector<double> starts() const {
    std::vector<double> all;
    for (const auto& [number, fate] : fates) all.push_back(fate.outcome.start_seconds);
    return all;
  }
  /// The cluster on which each job started, by job number; -1: none.
  std::vector<int> clusters() const {
    std::vector<int> all;
    for (const auto& [number, fate] : fates)
      all.push_back(fate.pieces.empty() ? -1 : static_cast<int>(fate.pieces[0].cluster));
    return all;
  }
  std::uint64_t messages(MessageKind kind) const { return totals.messages[static_cast<std::size_t>(kind)]; }
};

inline Grid grid_of_sizes(const std::vector<std::uint32_t>& sizes) {
  Grid grid = equal_clusters(static_cast<std::uint32_t>(sizes.size()), 0);
  for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster)
    grid.clusters[cluster].processors = sizes[cluster];
  return grid;
}

/// Runs the jobs to the end; each must have exactly one outcome.
inline Played play(const std::string& architecture, const std::vector<std::uint32_t>& sizes,
                   std::vector<StreamJob> jobs, const SimulationOptions& options = {},
                   const ModelParameters& parameters = {}) {
  const Grid grid = grid_of_sizes(sizes);
  const ArchitectureEntry* entry = find_architecture(architecture);
  REQUIRE(entry != nullptr);
  Played played;
  ModelRun run{grid, *entry, stream_of(std::move(jobs)), parameters, options};
  run.sinks.outcome = [&](const SimulatedOutcome& fate) {
    const std::vector<ClusterShare> pieces(fate.pieces.begin(), fate.pieces.end());
    const bool is_first = played.fates.try_emplace(fate.job.number, Fate{fate.job, fate.outcome, pieces}).second;
    CHECK(is_first);
  };
  played.totals = run_model(std::move(run));
  return played;
}

/// Jobs that arrive in bursts, narrow and wide; their estimates are right, or too high by up to ten times.
inline std::vector<StreamJob> random_jobs(Random& random, std::size_t count,
                                          const std::vector<std::uint32_t>& sizes, double mean_pause_seconds) {
  std::vector<Row> rows;
  double now = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (random.chance(0.7))
      now += 1 + static_cast<double>(random.below(static_cast<std::uint64_t>(2 * mean_pause_seconds)));
    const auto home = static_cast<std::uint32_t>(random.below(sizes.size()));
    const auto widest = random.chance(0.6) ? 2 : sizes[home];
    const double run = 1 + static_cast<double>(random.below(400));
    rows.push_back({.submit = now,
                    .run = run,
                    .processors = 1 + static_cast<std::uint32_t>(random.below(widest)),
                    .estimate = run * static_cast<double>(random.chance(0.3) ? 1 : 1 + random.below(10)),
                    .home = home,
                    .user = static_cast<std::uint32_t>(random.below(5))});
  }
  return jobs_of(rows);
}

}  // namespace dmm::stage
