#include "simulator/results/jobs_csv.hpp"

#include <string_view>
#include <utility>

#include "simulator/results/numbers.hpp"

namespace dmm {
namespace {

using State = JobOutcome::State;

std::string_view word_of(State state) {
  switch (state) {
    case State::finished: return "finished";
    case State::failed: return "failed";
    case State::lost: return "lost";
    case State::cancelled: return "cancelled";
    case State::unfinished: return "unfinished";
  }
  return "unknown";
}

std::string_view final_state(const JobOutcome& outcome) {
  if (outcome.start_seconds < 0) return "REJECTED";
  switch (outcome.state) {
    case State::finished: return "COMPLETED_SUCCESSFULLY";
    case State::failed:
    case State::lost: return "COMPLETED_FAILED";
    case State::cancelled:
    case State::unfinished: return "COMPLETED_KILLED";
  }
  return "COMPLETED_FAILED";
}

std::string number(double value) { return plain(value, 6); }

/// starting_time to stretch; empty for a job that didn't start.
std::string times_of(const JobOutcome& outcome, double end_seconds) {
  if (outcome.start_seconds < 0) return ",,,,,,";
  const double run = end_seconds - outcome.start_seconds;
  const double response = end_seconds - outcome.submit_seconds;
  std::string text;
  for (const double value :
       {outcome.start_seconds, run, end_seconds, outcome.start_seconds - outcome.submit_seconds, response})
    text += number(value) + ',';
  return text + (run > 0 ? number(response / run) : "") + ',';
}

std::string metadata_of(const SimulatedOutcome& ended, const Grid& grid) {
  std::string text = "\"home=" + grid.clusters.at(ended.job.home).name;
  text.append(" state=").append(word_of(ended.outcome.state));
  if (!ended.pieces.empty()) {
    text.append(" origin=").append(to_text(ended.outcome.origin)).append(" ran=");
    for (std::size_t i = 0; i < ended.pieces.size(); ++i)
      text.append(i > 0 ? "+" : "").append(grid.clusters.at(ended.pieces[i].cluster).name);
  }
  if (ended.outcome.delegations > 0) text += " delegations=" + std::to_string(ended.outcome.delegations);
  if (ended.outcome.messages > 0) text += " messages=" + std::to_string(ended.outcome.messages);
  return text + '"';
}

}  // namespace

JobsCsv::JobsCsv(const std::string& path, const Grid& grid, std::string workload_name)
    : file_(path), grid_(grid), workload_name_(std::move(workload_name)) {
  file_.write(
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
      "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
      "allocated_resources,consumed_energy,metadata\n");
}

void JobsCsv::add(const SimulatedOutcome& ended, double end_seconds, std::span<const ProcessorRange> processors) {
  const StreamJob& job = ended.job;
  const JobOutcome& outcome = ended.outcome;
  std::string row = std::to_string(job.number) + ',' + workload_name_ + ',' + number(job.run.in_seconds()) + ',' +
                    number(outcome.submit_seconds) + ',' + std::to_string(job.processors) + ',' +
                    number(job.estimate.in_seconds()) + ',' + (outcome.state == State::finished ? '1' : '0') + ',';
  row.append(final_state(outcome)).append(",").append(times_of(outcome, end_seconds));
  row.append(to_text(processors)).append(outcome.start_seconds < 0 ? ",," : ",-1,");
  file_.write(row.append(metadata_of(ended, grid_)).append("\n"));
}

}  // namespace dmm
