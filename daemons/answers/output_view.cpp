// A job's output as JSON; see output_view.hpp.
#include "daemons/answers/output_view.hpp"

#include <algorithm>

#include "daemons/answers/job_names.hpp"
#include "daemons/answers/json_answer.hpp"
#include "jobmgr/stream_names.hpp"

namespace dmm {
namespace {

using views::Json;

std::string state_of(const JobView& job) {
  if (!job.keep_output) return "discarded";
  return std::string(to_text(is_over(job.state) ? job.output : OutputState::pending));
}

std::size_t index_of(Stream stream) { return static_cast<std::size_t>(stream); }

/// Whether it is known which streams could not be written. A job manager that has restarted doesn't know.
bool knows_unwritten(const Attempt& run) {
  return std::ranges::any_of(run.components, [](const ComponentRun& component_run) {
    return std::ranges::any_of(*component_run.streams,
                               [](const StreamState& stream) { return stream.state == OutputState::unwritten; });
  });
}

/// {"job": 17, "component": 0}: where its two streams go, and how much of them is at the lender and here.
Json output_of(const Job& job, const JobView& view, std::uint64_t component, const ViewTime& time,
               const std::string& folder) {
  Json streams = Json::array();
  for (const Stream stream : both_streams) {
    const auto index = static_cast<std::uint32_t>(component);
    std::string path = path_of(job, index, stream);
    if (path.empty()) path = folder + '/' + own_output_file(job.number, index, stream);
    const bool began = (job.output_began >> index_of(stream) & 1) != 0;
    Json row{{"stream", to_text(stream)}, {"path", std::move(path)}, {"began", began}};
    if (job.run && component < job.run->components.size()) {
      const StreamState& state = job.run->components[component].streams->at(index_of(stream));
      row["known_bytes"] = state.bytes;
      row["here_bytes"] = state.offset;
      if (knows_unwritten(*job.run)) row["unwritten"] = state.state == OutputState::unwritten;
    }
    streams.push_back(std::move(row));
  }
  return {{"job", job.number},
          {"component", component},
          {"state", to_text(job.state)},
          {"over", is_over(job.state)},
          {"attempt", job.attempt},
          {"output", output_json(view, time)},
          {"streams", std::move(streams)}};
}

Answer output(const JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument,
              const std::string& folder) {
  const auto named = views::job_in(jobs, argument, "output");
  if (const auto* fault = std::get_if<std::string>(&named)) return views::fault(ask, *fault);
  const std::uint64_t number = std::get<std::uint64_t>(named);
  const std::uint64_t component = views::number_in(argument, "component", 0);
  const Job* job = jobs.find(number);
  if (job == nullptr && jobs.job(number)) return views::fault(ask, "this element of an array hasn't run yet");
  if (job == nullptr) return views::fault(ask, "there is no job " + std::to_string(number));
  if (job->is_array())
    return views::fault(ask, "output: job " + std::to_string(number) + " is an array; name an element, as in " +
                                 std::to_string(number) + "_" +
                                 std::to_string(job->description.array.index_at(0)));
  const bool is_each = job->description.program.runner == Runner::per_component;
  const std::size_t most = is_each ? need_components_max : components_granted_max;
  if (component >= most)
    return views::fault(ask, "output: a job has at most " + std::to_string(most) + " components");
  // A flexible request, or one that runs on each node, has a known number of components once it is placed. The number
  // isn't kept for a job that is over.
  const ResourceNeed& need = job->description.need;
  const bool is_known = is_each && need.kind != RequestKind::flexible && !need.components.empty();
  if (is_known && component >= need.components.size())
    return views::fault(ask, "output: job " + std::to_string(number) + " has no component " +
                                 std::to_string(component) + "; its last one is " +
                                 std::to_string(need.components.size() - 1));
  return views::answer(ask, output_of(*job, *jobs.job(number), component, time, folder));
}

/// {"job": 17}: brings all of its output into the manager's own folder.
Answer fetch(JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument,
             JobManagerEffects& effects) {
  const auto named = views::job_in(jobs, argument, "fetch_output");
  if (const auto* fault = std::get_if<std::string>(&named)) return views::fault(ask, *fault);
  const std::uint64_t number = std::get<std::uint64_t>(named);
  if (std::string why = jobs.fetch_again(time.now, number, effects); !why.empty())
    return views::fault(ask, std::move(why));
  return views::answer(ask, {{"fetching", number}});
}

}  // namespace

Json output_json(const JobView& job, const ViewTime& time) {
  const Json waits = job.writing_since ? Json((time.now - *job.writing_since).in_seconds()) : Json(nullptr);
  return {{"state", state_of(job)},
          {"reason", job.output_text},
          {"at_lender", job.at_lender},
          {"waits_seconds", waits}};
}

std::optional<Answer> answer_output(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                    const std::string& folder, JobManagerEffects& effects) {
  if (ask.verb != "output" && ask.verb != "fetch_output") return std::nullopt;
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb + ": the argument is not a JSON object");
  if (ask.verb == "output") return output(jobs, time, ask, *argument, folder);
  return fetch(jobs, time, ask, *argument, effects);
}

}  // namespace dmm
