// What a run brought in: from the job managers' records to one outcome a job, and what all processes counted. The
// conversion is pure; the rest asks.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/managers/questions.hpp"
#include "cli/managers/registry.hpp"
#include "cli/testbed/feeder.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// A job's outcome in trace seconds, counted from `began` (seconds since 1970): as if our own part of it, which is real
/// time and doesn't shrink with the speed-up, had taken none from its grant on. That part is its overhead.
JobOutcome outcome_of(const ToldJob& job, std::uint32_t cluster, double began, double speedup);

/// Whether `a` went farther than `b`: a longer chain, then more tries. Only finished jobs go anywhere.
bool went_farther(const ToldJob& a, const ToldJob& b);
/// Keeps the few that went farthest, farthest first.
void note_farthest(std::vector<ToldJob>& farthest, const ToldJob& job);

struct Harvest {
  std::vector<JobOutcome> outcomes;
  std::vector<double> grant_seconds;              ///< real ones from each job's submission to its grant
  std::uint64_t reruns = 0;                       ///< jobs that were run again
  std::vector<ToldJob> farthest;                  ///< the few finished ones that went farthest, farthest first
  double last_end = 0;                            ///< seconds since 1970
  std::map<std::string, std::uint64_t> messages;  ///< sent, by kind; without answers to commands like this one
  std::uint64_t messages_resent = 0;
  std::vector<std::string> faults;  ///< who did not answer
};

struct HarvestOptions {
  const Testbed& testbed;
  const WorkloadPlan& plan;
  const Feeder& feeder;
  double began = 0;  ///< seconds since 1970
  double speedup = 1;
  std::string jobs_file;  ///< every job's record as a line of JSON; empty: nowhere
};

/// Asks all managers that live. A job that was handed over and that nobody knows is lost.
Harvest harvest(const HarvestOptions& options);

}  // namespace dmm
