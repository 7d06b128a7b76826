// Collects the results of a run: an outcome for each job, from the job managers' records, and the counters of all
// processes. Only the conversion is pure; the rest asks the managers.
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

/// A job's outcome in trace seconds, counted from `began` (seconds since 1970). From the grant on, DMM's own part
/// counts as no time: it is real time and doesn't shrink with the speed-up. It is the job's overhead instead.
JobOutcome outcome_of(const ToldJob& job, std::uint32_t cluster, double began, double speedup);

/// Whether `a` went farther than `b`: a longer chain, or as long a one with more tries. Only finished jobs count.
bool went_farther(const ToldJob& a, const ToldJob& b);
/// Keeps the few jobs that went farthest, farthest first.
void note_farthest(std::vector<ToldJob>& farthest, const ToldJob& job);

struct Harvest {
  std::vector<JobOutcome> outcomes;
  std::vector<double> grant_seconds;              ///< real seconds from each job's submission to its grant
  std::uint64_t reruns = 0;                       ///< jobs that were run again
  std::vector<ToldJob> farthest;                  ///< the few finished jobs that went farthest, farthest first
  double last_end = 0;                            ///< seconds since 1970
  std::map<std::string, std::uint64_t> messages;  ///< sent, by kind; without answers to commands like this one
  std::uint64_t messages_resent = 0;
  std::vector<std::string> faults;  ///< managers that didn't answer
};

struct HarvestOptions {
  const Testbed& testbed;
  const WorkloadPlan& plan;
  const Feeder& feeder;
  double began = 0;  ///< seconds since 1970
  double speedup = 1;
  std::string jobs_file;  ///< gets each job's record as a line of JSON; empty: none
};

/// Asks all living managers. A submitted job that no job manager knows is lost.
Harvest harvest(const HarvestOptions& options);

}  // namespace dmm
