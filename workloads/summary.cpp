// The arithmetic of the summary: counts, sums over finished jobs, and the span of the run.
#include "workloads/summary.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace dmm {
namespace {

using State = JobOutcome::State;

void count_state(Summary& summary, State state) {
  ++summary.jobs_submitted;
  switch (state) {
    case State::finished: ++summary.jobs_finished; break;
    case State::failed: ++summary.jobs_failed; break;
    case State::lost: ++summary.jobs_lost; break;
    case State::cancelled: ++summary.jobs_cancelled; break;
    case State::unfinished: ++summary.jobs_unfinished; break;
  }
}

bool has_run(const JobOutcome& job) { return job.start_seconds >= 0 && job.end_seconds >= job.start_seconds; }

double used_processor_seconds(const JobOutcome& job) {
  return has_run(job) ? job.processors * (job.end_seconds - job.start_seconds) : 0;
}

/// Adds a finished job to the sums that average() later divides; returns whether it has a slowdown.
bool add_finished(Summary& sums, const JobOutcome& job) {
  const double response = job.end_seconds - job.submit_seconds;
  const double run = job.end_seconds - job.start_seconds;
  sums.average_wait_seconds += job.start_seconds - job.submit_seconds;
  sums.average_response_seconds += response;
  if (run > 0) sums.average_slowdown += response / run;
  sums.average_bounded_slowdown +=
      std::max(1.0, response / std::max(run, Summary::bounded_slowdown_threshold_seconds));
  sums.average_overhead_seconds += job.overhead_seconds;
  sums.delegations_per_job += job.delegations;
  sums.delegations_tried_per_job += job.delegations_tried;
  sums.longest_chain = std::max(sums.longest_chain, job.delegations + 1);
  const auto origin = static_cast<std::size_t>(job.origin);
  sums.goodput_processor_seconds += used_processor_seconds(job);
  if (origin < origin_count) {
    sums.goodput_processor_seconds_by_origin[origin] += used_processor_seconds(job);
    ++sums.jobs_finished_by_origin[origin];
  }
  return run > 0;
}

void average(Summary& sums, std::uint64_t with_slowdown) {
  if (sums.jobs_finished == 0) return;
  const auto jobs = static_cast<double>(sums.jobs_finished);
  for (double* sum : {&sums.average_wait_seconds, &sums.average_response_seconds,
                      &sums.average_bounded_slowdown, &sums.average_overhead_seconds,
                      &sums.delegations_per_job, &sums.delegations_tried_per_job}) {
    *sum /= jobs;
  }
  if (with_slowdown > 0) sums.average_slowdown /= static_cast<double>(with_slowdown);
}

void summarise_messages(Summary& summary, std::vector<std::uint32_t>& messages) {
  if (messages.empty()) return;
  std::sort(messages.begin(), messages.end());
  const std::size_t count = messages.size();
  const double below = messages[(count - 1) / 2];
  const double above = messages[count / 2];  // the same one where the count is odd
  summary.messages_per_job_median = (below + above) / 2;
  summary.messages_per_job_p95 = messages[(count * 95 + 99) / 100 - 1];
}

}  // namespace

Summary summarise(std::span<const JobOutcome> outcomes, std::uint64_t processors_total) {
  Summary summary;
  std::vector<std::uint32_t> messages;
  std::uint64_t with_slowdown = 0;
  double used = 0;
  double first_submit = std::numeric_limits<double>::infinity();
  double last_end = -1;
  for (const JobOutcome& job : outcomes) {
    count_state(summary, job.state);
    first_submit = std::min(first_submit, job.submit_seconds);
    if (job.state != State::lost) last_end = std::max(last_end, job.end_seconds);
    used += used_processor_seconds(job);
    if (job.state != State::finished) continue;
    if (add_finished(summary, job)) ++with_slowdown;
    messages.push_back(job.messages);
  }
  average(summary, with_slowdown);
  summarise_messages(summary, messages);
  if (last_end > first_submit) summary.makespan_seconds = last_end - first_submit;
  const double available = static_cast<double>(processors_total) * summary.makespan_seconds;
  if (available > 0) summary.utilisation = used / available;
  return summary;
}

}  // namespace dmm
