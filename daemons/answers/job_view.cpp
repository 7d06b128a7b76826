// A job manager's jobs as JSON; see job_view.hpp.
#include "daemons/answers/job_view.hpp"

#include <algorithm>
#include <vector>

#include "daemons/answers/job_names.hpp"
#include "daemons/answers/job_orders.hpp"
#include "daemons/answers/json_answer.hpp"
#include "daemons/answers/output_view.hpp"
#include "jobmgr/reruns.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t jobs_page = 250;  // jobs in an answer, if they fit

// Long names, paths and texts are cut, so that every job fits into an answer even if each byte takes six in JSON. A
// ledger older than the checks on submissions (protocol/programs.hpp) can hold texts of any length.
constexpr std::size_t shown_of_text = 2 * text_bytes_max;

constexpr std::array<JobState, job_state_count> all_states = {
    JobState::waiting,  JobState::starting, JobState::running,   JobState::ending, JobState::collecting,
    JobState::finished, JobState::failed,   JobState::cancelled, JobState::lost};

std::optional<JobState> parse_state(const Json& text) {
  for (const JobState state : all_states)
    if (text.is_string() && text.get<std::string>() == to_text(state)) return state;
  return std::nullopt;
}

Json place_of(const Place& place) {
  return {{"owner", place.lease.owner.text},
          {"clusters", views::texts(place.clusters)},
          {"lease", to_text(place.lease)},
          {"chain", views::texts(place.chain)}};
}

/// Of a job with several leases: each with the components that it serves.
Json places_of(const std::vector<Place>& places) {
  Json all = Json::array();
  if (places.size() < 2) return all;
  for (const Place& place : places) {
    all.push_back(place_of(place));
    all.back()["components"] = place.components;
  }
  return all;
}

/// Null if unknown: the job has no place, nothing runs there yet, or its resource manager doesn't say.
Json isolation_of(const std::vector<Place>& places) {
  Json list = Json::array();
  for (const Place& place : places)
    for (const ShortText& text : place.isolation)
      if (std::ranges::find(list, Json(text.view())) == list.end()) list.push_back(text.view());
  return list.empty() ? Json(nullptr) : list;
}

Json causes_of(const std::vector<InterruptionCause>& causes) {
  Json list = Json::array();
  for (const InterruptionCause& one : causes)
    list.push_back({{"owner", one.owner.text}, {"cause", to_text(one.cause)}, {"times", one.times}});
  return list;
}

Json exit_of(const std::optional<JobExit>& exit) {
  if (!exit) return nullptr;
  return {{"kind", to_text(exit->kind)}, {"code", exit->code}, {"fault", to_text(exit->fault)}};
}

Json heads_of(const JobView& job, const ViewTime& time) {
  Json heads = Json::array();
  for (const HeadView& head : job.heads)
    heads.push_back({{"manager", head.manager.site.text + "/" + head.manager.name},
                     {"up", head.up},
                     {"until", head.until == never ? Json(nullptr) : views::date(time, head.until)}});
  return heads;
}

Json dependencies_of(const JobView& job) {
  Json list = Json::array();
  for (const Dependency& one : job.awaits)
    list.push_back({{"kind", to_text(one.kind)},
                    {"job", one.job},
                    {"index", one.of_element ? Json(one.index) : Json(nullptr)}});
  return list;
}

/// Of an array; null for any other job.
Json elements_of(const JobView& job) {
  if (!job.elements) return nullptr;
  Json groups = Json::object();
  for (const ArrayView::Group& group : job.elements->groups)
    groups[std::string(to_text(group.state))] = {{"count", group.count}, {"indices", group.indices}};
  const ArrayView::Group& held = job.elements->held;
  return {{"indices", job.elements->indices},
          {"count", job.elements->size},
          {"states", std::move(groups)},
          {"held", {{"count", held.count}, {"indices", held.indices}}}};
}

Json job_of(const JobView& job, const ViewTime& time) {
  return {{"job", job.number},
          {"array", job.array == 0 ? Json(nullptr) : Json(job.array)},
          {"index", job.array == 0 ? Json(nullptr) : Json(job.index)},
          {"elements", elements_of(job)},
          {"name", shortened(job.name, job_name_bytes_max)},
          {"state", to_text(job.state)},
          {"processors", job.processors},
          {"attempt", job.attempt},
          {"reruns", job.reruns},
          {"keeper_deaths", job.keeper_deaths},
          {"false_starts", job.false_starts},
          {"interruptions", interruptions_of(job.past, job.past_causes)},
          {"interrupted_by", views::texts(job.past.owners)},
          {"interruption_causes", causes_of(job.past_causes)},
          {"request", to_text(job.request)},
          {"submitted", views::date(time, job.submitted)},
          {"again_at", job.again_at == never ? Json(nullptr) : views::date(time, job.again_at)},
          {"granted", views::date(time, job.granted)},
          {"started", views::date(time, job.started)},
          {"waits_since", views::date(time, job.waits_since)},
          {"ran_from", views::date(time, job.ran_from)},
          {"ran_before_seconds", job.ran_before.in_seconds()},
          {"ended", views::date(time, job.ended)},
          {"wall_seconds", job.wall.in_seconds()},
          {"overhead_seconds", job.overhead.in_seconds()},
          {"place", job.places.empty() ? Json(nullptr) : place_of(job.places[0])},
          {"places", places_of(job.places)},
          {"placement", job.placement},
          {"left_behind", job.left_behind},
          {"isolation", isolation_of(job.places)},
          {"origin", job.places.empty() ? Json(nullptr) : Json(to_text(job.origin))},
          {"hops", job.hops},
          {"tries", job.tries},
          {"exit", exit_of(job.exit)},
          {"text", shortened(job.text, shown_of_text)},
          {"output", output_json(job, time)},
          {"output_path", shortened(job.output_path, path_bytes_max)},
          {"error_path", shortened(job.error_path, path_bytes_max)},
          {"keep_output", job.keep_output},
          {"heads", heads_of(job, time)},
          {"barrier_seconds", job.barrier.in_seconds()},
          {"start_spread_seconds", job.start_spread.in_seconds()},
          {"input_files", job.input_files},
          {"tasks", job.tasks},
          {"tasks_ready", job.tasks_ready},
          {"nodes", views::nodes_by_manager(job.nodes)},
          {"limit_wall_seconds", job.limit_wall_seconds},
          {"priority", job.priority},
          {"held", job.held},
          {"begin_at", job.begin_at == never ? Json(nullptr) : views::date(time, job.begin_at)},
          {"dependencies", dependencies_of(job)}};
}

Json counts_of(const JobManager& jobs) {
  Json now = Json::object(), ever = Json::object();
  for (const JobState state : all_states) {
    now[std::string(to_text(state))] = jobs.count(state);
    ever[std::string(to_text(state))] = jobs.ever(state);
  }
  return {{"jobs", jobs.size()},     {"now", std::move(now)},   {"ever", std::move(ever)},
          {"grants", jobs.grants()}, {"starts", jobs.starts()}, {"site_up", jobs.site_up()}};
}

/// Jobs in order of their numbers: {"states": ["running"], "from": 17, "limit": 100, "elements": true}. An array is
/// listed; its elements are listed only if asked for. "next" is where the next question goes on; null at the end.
Answer queue(const JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument) {
  JobQuery query{.state = {}, .from = views::number_in(argument, "from", 0), .limit = 0};
  query.elements = argument.value("elements", Json(false)) == Json(true);
  query.limit = views::limit_in(argument, jobs_page, jobs_page) + 1;  // one more shows whether there are more
  std::vector<JobView> found;
  if (const auto states = argument.find("states"); states != argument.end() && states->is_array()) {
    for (const Json& text : *states) {
      query.state = parse_state(text);
      if (!query.state) return views::fault(ask, "queue: no such state: " + text.dump().substr(0, 40));
      for (JobView& job : jobs.jobs(query)) found.push_back(std::move(job));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    const auto same = [](const auto& a, const auto& b) { return a.number == b.number; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
  } else {
    found = jobs.jobs(query);
  }
  Json list = Json::array();
  Json next = nullptr;
  AnswerRows rows(query.limit - 1, views::list_bytes);
  for (const JobView& job : found) {
    if (!rows.is_full() && views::add_row(list, job_of(job, time), rows)) continue;
    next = job.number;
    break;
  }
  return views::answer(ask, {{"jobs", std::move(list)}, {"next", std::move(next)}});
}

Answer job(const JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument) {
  const auto number = views::job_in(jobs, argument, "job");
  if (const auto* fault = std::get_if<std::string>(&number)) return views::fault(ask, *fault);
  const auto view = jobs.job(std::get<std::uint64_t>(number));
  if (!view) return views::fault(ask, "there is no job " + std::to_string(std::get<std::uint64_t>(number)));
  return views::answer(ask, job_of(*view, time));
}

/// Which of these jobs are elements of arrays, as their users name them: {"21": "17_3"}. The argument: {"jobs": [21]}.
Answer names(const JobManager& jobs, const Ask& ask, const Json& argument) {
  constexpr std::size_t most = 1'000;
  Json elements = Json::object();
  const auto given = argument.find("jobs");
  if (given == argument.end() || !given->is_array() || given->size() > most)
    return views::fault(ask, R"(names: the argument is {"jobs": [number, ...]}, with at most 1000 numbers)");
  for (const Json& number : *given) {
    if (!number.is_number_unsigned()) return views::fault(ask, "names: a job is a number");
    const auto job = jobs.job(number.get<std::uint64_t>());
    if (!job || job->array == 0) continue;
    elements[std::to_string(job->number)] = std::to_string(job->array) + "_" + std::to_string(job->index);
  }
  return views::answer(ask, {{"elements", std::move(elements)}});
}

}  // namespace

std::optional<Answer> answer_jobs(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                  JobManagerEffects& effects) {
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb.substr(0, 64) + ": the argument is not a JSON object");
  if (ask.verb == "queue") return queue(jobs, time, ask, *argument);
  if (ask.verb == "job") return job(jobs, time, ask, *argument);
  if (ask.verb == "names") return names(jobs, ask, *argument);
  if (ask.verb == "counts") return views::answer(ask, counts_of(jobs));
  return answer_job_orders(jobs, time, ask, effects);
}

}  // namespace dmm
