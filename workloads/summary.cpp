// The arithmetic of the summary: counts, sums over finished jobs, and the span of the run.
#include "workloads/summary.hpp"

#include <algorithm>
#include <cstddef>

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

void average(Summary& sums, std::uint64_t with_slowdown) {
  if (sums.jobs_finished == 0) return;
  const auto jobs = static_cast<double>(sums.jobs_finished);
  for (double* sum :
       {&sums.average_wait_seconds, &sums.average_response_seconds, &sums.average_bounded_slowdown,
        &sums.average_overhead_seconds, &sums.delegations_per_job, &sums.delegations_tried_per_job}) {
    *sum /= jobs;
  }
  if (with_slowdown > 0) sums.average_slowdown /= static_cast<double>(with_slowdown);
  sums.jobs_finished_percent = 100 * jobs / static_cast<double>(sums.jobs_submitted);
}

}  // namespace

void SummaryBuilder::add(const JobOutcome& job) {
  count_state(sums_, job.state);
  if (job.start_seconds >= 0) {
    ++sums_.jobs_started;
    if (job.state == State::cancelled || job.state == State::unfinished) ++sums_.jobs_killed;
  }
  first_submit_seconds_ = std::min(first_submit_seconds_, job.submit_seconds);
  if (job.state != State::lost) last_end_seconds_ = std::max(last_end_seconds_, job.end_seconds);
  sums_.used_processor_seconds += used_processor_seconds(job);
  if (job.state == State::unfinished && job.start_seconds >= 0 && job.end_seconds < 0) {
    running_processors_ += job.processors;
    running_starts_ += job.processors * job.start_seconds;
  }
  if (job.state == State::finished) add_finished(job);
}

// Adds to the sums that average() divides later.
void SummaryBuilder::add_finished(const JobOutcome& job) {
  Summary& sums = sums_;
  const double wait = job.start_seconds - job.submit_seconds;
  const double response = job.end_seconds - job.submit_seconds;
  const double run = job.end_seconds - job.start_seconds;
  sums.average_wait_seconds += wait;
  sums.average_response_seconds += response;
  sums.longest_wait_seconds = std::max(sums.longest_wait_seconds, wait);
  sums.longest_response_seconds = std::max(sums.longest_response_seconds, response);
  if (run > 0) {
    ++with_slowdown_;
    sums.average_slowdown += response / run;
    sums.greatest_slowdown = std::max(sums.greatest_slowdown, response / run);
  }
  sums.average_bounded_slowdown +=
      std::max(1.0, response / std::max(run, Summary::bounded_slowdown_threshold_seconds));
  sums.average_overhead_seconds += job.overhead_seconds;
  sums.delegations_per_job += job.delegations;
  sums.delegations_tried_per_job += job.delegations_tried;
  sums.longest_chain = std::max(sums.longest_chain, job.delegations + 1);
  sums.goodput_processor_seconds += used_processor_seconds(job);
  if (const auto origin = static_cast<std::size_t>(job.origin); origin < origin_count) {
    sums.goodput_processor_seconds_by_origin[origin] += used_processor_seconds(job);
    ++sums.jobs_finished_by_origin[origin];
  }
  add_messages(job.messages);
}

void SummaryBuilder::add_messages(std::uint32_t messages) {
  if (messages < small_counts)
    ++messages_[messages];
  else
    ++many_messages_[messages];
}

// Messages of the finished job at this rank (from 1), ordered by messages.
double SummaryBuilder::messages_at(std::uint64_t rank) const {
  for (std::uint32_t count = 0; count < small_counts; ++count) {
    if (messages_[count] >= rank) return count;
    rank -= messages_[count];
  }
  for (const auto& [count, jobs] : many_messages_) {
    if (jobs >= rank) return count;
    rank -= jobs;
  }
  return 0;
}

Summary SummaryBuilder::summary(std::uint64_t processors_total, std::optional<double> stopped_seconds) const {
  Summary summary = sums_;
  average(summary, with_slowdown_);
  if (const std::uint64_t jobs = summary.jobs_finished; jobs > 0) {
    // Where the number of jobs is odd, the middle two are the same job.
    summary.messages_per_job_median = (messages_at((jobs - 1) / 2 + 1) + messages_at(jobs / 2 + 1)) / 2;
    summary.messages_per_job_p95 = messages_at((jobs * 95 + 99) / 100);
  }
  if (stopped_seconds) summary.used_processor_seconds += running_processors_ * *stopped_seconds - running_starts_;
  const double end = std::max(last_end_seconds_, stopped_seconds.value_or(-1));
  if (end > first_submit_seconds_) summary.makespan_seconds = end - first_submit_seconds_;
  const double available = static_cast<double>(processors_total) * summary.makespan_seconds;
  if (available > 0) summary.utilisation = summary.used_processor_seconds / available;
  return summary;
}

Summary summarise(std::span<const JobOutcome> outcomes, std::uint64_t processors_total) {
  SummaryBuilder builder;
  for (const JobOutcome& job : outcomes) builder.add(job);
  return builder.summary(processors_total);
}

}  // namespace dmm
