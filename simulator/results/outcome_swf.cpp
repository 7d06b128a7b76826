#include "simulator/results/outcome_swf.hpp"

#include <cmath>

namespace dmm {
namespace {

using State = JobOutcome::State;

std::int64_t whole(double seconds) { return std::llround(seconds); }

/// 1 completed, 0 failed, 5 cancelled; -1 for states that the format doesn't have.
std::int8_t status_of(State state) {
  switch (state) {
    case State::finished: return 1;
    case State::failed:
    case State::lost: return 0;
    case State::cancelled: return 5;
    case State::unfinished: return -1;
  }
  return -1;
}

}  // namespace

OutcomeSwf::OutcomeSwf(const std::string& path, const Grid& grid, const std::string& title) : file_(path) {
  std::string text = "; Version: 2.2\n; Computer: " + title +
                     "\n; UnixStartTime: 0\n; MaxProcs: " + std::to_string(grid.processors()) +
                     "\n; MaxPartitions: " + std::to_string(grid.clusters.size()) + "\n";
  for (std::size_t i = 0; i < grid.clusters.size(); ++i)
    text += "; Partition: " + std::to_string(i) + " " + grid.clusters[i].name + " (" +
            std::to_string(grid.clusters[i].processors) + " processors)\n";
  text +=
      "; Note: simulated; wait, run time and status are the simulation's\n"
      "; Note: the partition is the cluster where a job was submitted, the queue the one where it ran\n"
      "; Note: status -1 is a job that had not ended when the simulation was stopped\n";
  file_.write(text);
}

OutcomeSwf::Row OutcomeSwf::row_of(const SimulatedOutcome& ended, double end_seconds) {
  const JobOutcome& outcome = ended.outcome;
  Row row;
  row.submit_seconds = whole(outcome.submit_seconds);
  if (outcome.start_seconds >= 0) {
    row.wait_seconds = whole(outcome.start_seconds - outcome.submit_seconds);
    row.run_seconds = whole(end_seconds - outcome.start_seconds);
  }
  row.estimate_seconds = whole(ended.job.estimate.in_seconds());
  row.processors = ended.job.processors;
  row.user = ended.job.user;
  row.home = ended.job.home;
  if (!ended.pieces.empty()) row.ran = static_cast<std::int32_t>(ended.pieces.front().cluster);
  row.status = status_of(outcome.state);
  row.ended = true;
  return row;
}

void OutcomeSwf::add(const SimulatedOutcome& ended, double end_seconds) {
  const std::uint64_t number = ended.job.number;
  if (number < first_) return write(number, row_of(ended, end_seconds));
  if (number - first_ >= rows_.size()) rows_.resize(number - first_ + 1);
  rows_[number - first_] = row_of(ended, end_seconds);
  while (!rows_.empty() && (rows_.front().ended || rows_.size() > rows_held_max)) write_first();
}

void OutcomeSwf::write_first() {
  if (rows_.front().ended) write(first_, rows_.front());
  rows_.pop_front();
  ++first_;
}

void OutcomeSwf::write(std::uint64_t number, const Row& row) {
  const auto text = [](auto value) { return std::to_string(value) + ' '; };
  const bool started = row.wait_seconds >= 0;
  file_.write(text(number) + text(row.submit_seconds) + text(row.wait_seconds) + text(row.run_seconds) +
              (started ? text(row.processors) : "-1 ") + "-1 -1 " + text(row.processors) +
              text(row.estimate_seconds) + "-1 " + text(int{row.status}) + text(row.user) + "-1 -1 " +
              text(row.ran) + text(row.home) + "-1 -1\n");
}

std::string OutcomeSwf::close() {
  while (!rows_.empty()) write_first();
  return file_.close();
}

}  // namespace dmm
