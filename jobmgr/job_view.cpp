// One job, copied out for people.
#include "jobmgr/job_view.hpp"

#include <algorithm>

#include "jobmgr/going_on.hpp"

namespace dmm {

std::uint32_t hops_of(const Job& job) {
  std::size_t hops = 0;
  for (const Place& place : job.places)
    if (!place.chain.empty()) hops = std::max(hops, place.chain.size() - 1);
  return static_cast<std::uint32_t>(hops);
}

std::string text_of(const Job& job) {
  if (job.text.empty() || job.output_text.empty()) return job.text + std::string(job.output_text);
  return job.text + "; " + std::string(job.output_text);
}

JobView view_of(const Job& job, const RequestId& request) {
  JobView view;
  view.number = job.number;
  view.array = job.array;
  view.index = job.index;
  view.name = job.description.name;
  view.state = job.state;
  view.processors = job.processors;
  view.attempt = job.attempt;
  view.reruns = job.reruns;
  view.keeper_deaths = job.keeper_deaths;
  view.false_starts = job.false_starts;
  view.past = job.past;
  view.past_causes = job.past_causes;
  view.again_at = job.again_at;
  view.request = request;
  view.submitted = job.submitted;
  view.granted = job.granted;
  view.started = job.started;
  view.waits_since = job.waits_since;
  view.ran_from = job.ran_from;
  view.ran_before = job.ran_before;
  view.ended = job.ended;
  view.wall = job.wall;
  if (job.granted && job.ended) view.overhead = std::max(Duration{}, *job.ended - *job.granted - job.wall);
  view.places = job.places;
  view.placement = job.joint->placement;
  view.barrier = job.joint->barrier;
  view.start_spread = job.joint->spread;
  view.origin = job.origin;
  view.hops = hops_of(job);
  view.tries = job.tries;
  view.exit = job.exit;
  view.text = text_of(job);
  view.output = job.output;
  view.output_text = job.output_text;
  view.at_lender = is_over(job.state) && job.run;
  if (job.run)
    for (const ComponentRun& component_run : job.run->components)
      for (const StreamState& stream : *component_run.streams)
        if (stream.handed != 0 && stream.handed_at < view.writing_since.value_or(never))
          view.writing_since = stream.handed_at;
  view.output_path = job.description.output_path;
  view.error_path = job.description.error_path;
  view.keep_output = job.description.keep_output;
  if (job.run) {
    view.nodes = job.run->held();
    view.tasks = static_cast<std::uint32_t>(job.run->components.size());
    view.tasks_ready = view.tasks - job.run->unstarted;
    view.left_behind = text_of_left_behind(job);
  }
  view.limit_wall_seconds = job.description.program.limits->wall_seconds;
  view.input_files = static_cast<std::uint32_t>(job.description.program.inputs.size());
  view.priority = job.description.priority;
  return view;
}

}  // namespace dmm
