#include "cli/jobs/job_totals.hpp"

#include <algorithm>

#include "cli/jobs/job_selection.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"

namespace dmm {

void JobTotals::add(const Json& counts) {
  ++managers;
  const Json now = counts.value("now", Json::object());
  for (const std::string& state : job_states()) by_state[state] += now.value(state, std::uint64_t{0});
}

std::uint64_t JobTotals::of(const std::string& state) const {
  const auto found = by_state.find(state);
  return found == by_state.end() ? 0 : found->second;
}

std::uint64_t JobTotals::open() const {
  std::uint64_t sum = 0;
  for (const std::string& state : open_job_states()) sum += of(state);
  return sum;
}

std::uint64_t JobTotals::ended() const {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : by_state) sum += count;
  return sum - open();
}

Json to_json(const JobTotals& totals) {
  Json json = Json::object();
  for (const std::string& state : job_states()) json[state] = totals.of(state);
  return json;
}

std::string totals_text(const JobTotals& totals, std::size_t shown, bool selected) {
  if (totals.open() == 0 && !selected)
    return totals.ended() == 0 ? "no jobs"
                               : "no jobs wait or run; " + grouped(totals.ended()) + " ended (--all shows them)";
  std::string text = selected ? count_text(shown, "job") + " shown. In all " : count_text(shown, "job") + ": ";
  for (const char* state : {"waiting", "starting", "running"})
    text += grouped(totals.of(state)) + " " + state + ", ";
  for (const char* state : {"ending", "collecting"})
    if (totals.of(state) > 0) text += grouped(totals.of(state)) + " " + state + ", ";
  return text + grouped(totals.ended()) + " ended";
}

/// The news of the start may be late, and so may that of the end: a job manager that was away hears both together. The
/// earlier of the two times is right.
double waited_seconds(const ToldJob& job, double now) {
  double start = job.ran_from.value_or(job.ended.value_or(now));
  if (job.over() && job.wall_seconds > 0 && job.ended) start = std::min(start, *job.ended - job.wall_seconds);
  return std::max(0.0, start - job.waits_since.value_or(job.submitted));
}

}  // namespace dmm
