// The figures that the papers compare by, each with its definition, from the outcomes of a workload's jobs. Real runs
// and simulations use the same code, so that their figures mean the same. The caller writes them out.
//
// Every average, median and percentile is over finished jobs only: a job that failed or was lost early would look
// quick. Read them beside jobs_finished, because a policy that leaves the hard jobs unfinished has better averages.
// Source of the measures: Iosup et al. 2007 (delegated matchmaking), section 5.2; bounded slowdown: Feitelson
// 2001.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "protocol/origin.hpp"

namespace dmm {

/// How one job went. Times are trace seconds on one common axis, all at least 0; -1 for what didn't happen.
struct JobOutcome {
  enum class State : std::uint8_t {
    finished,    ///< ran to its end
    failed,      ///< ended with a fault, or can't run anywhere
    lost,        ///< no manager can tell how it ended
    cancelled,   ///< by its user
    unfinished,  ///< still waiting or running when the run was stopped
  };

  std::uint32_t cluster = 0;  ///< where it was submitted
  double submit_seconds = 0;
  double start_seconds = -1;  ///< of the last attempt
  double end_seconds = -1;
  std::uint32_t processors = 0;
  State state = State::unfinished;
  Origin origin = Origin::local;        ///< of its nodes; the farthest if there are several
  std::uint32_t delegations = 0;        ///< length of its chain minus 1; 0 if it ran at home
  std::uint32_t delegations_tried = 0;  ///< rejected ones included
  std::uint32_t messages = 0;           ///< sent by all managers for this job
  double overhead_seconds = 0;          ///< real seconds, not trace seconds, that our software added
};

/// The figures of one run. Each job is counted by its state; jobs_submitted is the sum of the five states.
struct Summary {
  std::uint64_t jobs_submitted = 0;
  std::uint64_t jobs_finished = 0;
  std::uint64_t jobs_failed = 0;
  std::uint64_t jobs_lost = 0;
  std::uint64_t jobs_cancelled = 0;
  std::uint64_t jobs_unfinished = 0;
  std::uint64_t jobs_started = 0;    ///< of all jobs in any state
  std::uint64_t jobs_killed = 0;     ///< started jobs that were cancelled or unfinished
  double jobs_finished_percent = 0;  ///< of those submitted: JF% of the paper; 0 if there are none

  // Averages over finished jobs; 0 if there are none. wait = start - submit, run = end - start, response =
  // their sum.
  double average_wait_seconds = 0;
  double average_response_seconds = 0;
  double average_slowdown = 0;          ///< response / run; jobs with a run of 0 are left out of this one
  double average_bounded_slowdown = 0;  ///< max(1, response / max(run, bounded_slowdown_threshold_seconds))
  double average_overhead_seconds = 0;  ///< real seconds
  double longest_wait_seconds = 0;
  double longest_response_seconds = 0;
  double greatest_slowdown = 0;

  // Goodput: processors x run of the finished jobs, and the number of these, in all and by Origin.
  double goodput_processor_seconds = 0;
  std::array<double, origin_count> goodput_processor_seconds_by_origin{};
  std::array<std::uint64_t, origin_count> jobs_finished_by_origin{};

  double delegations_per_job = 0;        ///< mean of finished jobs
  double delegations_tried_per_job = 0;  ///< mean of finished jobs
  std::uint32_t longest_chain = 0;       ///< sites in a finished job's longest chain: 1 if all ran at home
  double messages_per_job_median = 0;    ///< for an even number, the mean of the middle two
  double messages_per_job_p95 = 0;       ///< nearest rank: the smallest that 95 % don't exceed

  /// From the first submission of any job to the last end of a job that isn't lost, or to the stop of the run. 0 if
  /// no job ended.
  double makespan_seconds = 0;
  /// Of all jobs with a start and an end, finished or not. It exceeds goodput by the use of failed and cancelled
  /// jobs. For a stopped run it includes the use of running jobs until the stop.
  double used_processor_seconds = 0;
  /// used_processor_seconds over processors_total x makespan; 0 if either factor is 0.
  double utilisation = 0;

  static constexpr double bounded_slowdown_threshold_seconds = 10;
};

/// Adds up outcomes one by one, in any order. Memory doesn't grow with the number of jobs: for the median of messages
/// it keeps a count for each number of messages.
class SummaryBuilder {
 public:
  void add(const JobOutcome& job);
  /// The figures so far. `processors_total` is the size of the grid, for utilisation. A simulation without a
  /// cool-down phase passes `stopped_seconds`: makespan and utilisation then reach to there.
  Summary summary(std::uint64_t processors_total, std::optional<double> stopped_seconds = std::nullopt) const;

 private:
  void add_finished(const JobOutcome& job);
  void add_messages(std::uint32_t messages);
  double messages_at(std::uint64_t rank) const;

  static constexpr std::uint32_t small_counts = 1024;

  Summary sums_;                     ///< averages hold sums here
  std::uint64_t with_slowdown_ = 0;  ///< finished jobs with a slowdown
  std::vector<std::uint64_t> messages_ = std::vector<std::uint64_t>(small_counts);  ///< jobs by their count
  std::map<std::uint32_t, std::uint64_t> many_messages_;                            ///< the same for larger counts
  double first_submit_seconds_ = std::numeric_limits<double>::infinity();
  double last_end_seconds_ = -1;
  double running_processors_ = 0;  ///< of unfinished jobs that started
  double running_starts_ = 0;      ///< the sum of processors x start of these
};

/// Adds up the outcomes, in any order. `processors_total` is the size of the grid, for utilisation.
Summary summarise(std::span<const JobOutcome> outcomes, std::uint64_t processors_total);

}  // namespace dmm
