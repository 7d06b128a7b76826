// Orders of the user as JSON; see job_orders.hpp.
#include "daemons/answers/job_orders.hpp"

#include <vector>

#include "daemons/answers/job_names.hpp"
#include "daemons/answers/json_answer.hpp"

namespace dmm {
namespace {

using views::Json;

/// The jobs that an order names, and faults of names without a job.
struct NamedJobs {
  std::vector<std::uint64_t> numbers;
  Json refused = Json::array();
  std::size_t count = 0;
};

/// {"job": 17}, {"job": "17_3"} or {"jobs": [17, 18]}.
NamedJobs jobs_in(const JobManager& jobs, const Json& argument) {
  NamedJobs named;
  const auto add = [&](const Json& value) {
    ++named.count;
    auto job = views::job_of(jobs, value);
    if (const auto* number = std::get_if<std::uint64_t>(&job))
      named.numbers.push_back(*number);
    else
      named.refused.push_back({{"job", value}, {"reason", std::get<std::string>(job)}});
  };
  if (const auto one = argument.find("job"); one != argument.end()) add(*one);
  if (const auto list = argument.find("jobs"); list != argument.end() && list->is_array())
    for (const Json& value : *list) add(value);
  return named;
}

Answer no_jobs(const Ask& ask) {
  return views::fault(ask, ask.verb + R"(: the argument is {"job": number} or {"jobs": [numbers]})");
}

/// {"job": 17} or {"jobs": [17, 18]}, and perhaps {"grace_seconds": 5}.
Answer cancel(JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument,
              JobManagerEffects& effects) {
  NamedJobs named = jobs_in(jobs, argument);
  if (named.count == 0) return no_jobs(ask);
  const std::uint64_t grace = std::min<std::uint64_t>(views::number_in(argument, "grace_seconds", 5), 3'600);
  Json cancelled = Json::array(), &refused = named.refused;
  for (const std::uint64_t number : named.numbers) {
    const std::string why = jobs.cancel(time.now, number, effects, seconds(static_cast<std::int64_t>(grace)));
    if (why.empty())
      cancelled.push_back(number);
    else
      refused.push_back({{"job", number}, {"reason", why}});
  }
  if (named.count == 1 && !refused.empty()) return views::fault(ask, refused[0]["reason"].get<std::string>());
  return views::answer(ask, {{"cancelled", std::move(cancelled)}, {"refused", std::move(refused)}});
}

/// The changes that "alter" asks for; or why they can't be made, naming the key.
OrFault<Alteration, std::string> alteration_in(const Json& argument) {
  Alteration wanted;
  if (const auto held = argument.find("held"); held != argument.end()) {
    if (!held->is_boolean()) return std::string("alter: held is true or false");
    wanted.held = held->get<bool>();
  }
  if (const auto priority = argument.find("priority"); priority != argument.end()) {
    if (!priority->is_number_integer() ||
        (priority->is_number_unsigned() && priority->get<std::uint64_t>() > INT32_MAX) ||
        priority->get<std::int64_t>() > INT32_MAX || priority->get<std::int64_t>() < INT32_MIN)
      return std::string("alter: priority is a whole number from -2147483648 to 2147483647");
    wanted.priority = priority->get<std::int32_t>();
  }
  if (const auto wall = argument.find("limit_wall_seconds"); wall != argument.end()) {
    if (!wall->is_number_unsigned()) return std::string("alter: limit_wall_seconds is a whole number from 0");
    wanted.wall_seconds = wall->get<std::uint64_t>();
  }
  if (!wanted.held && !wanted.priority && !wanted.wall_seconds)
    return std::string("alter: there is nothing to change; expected held, priority or limit_wall_seconds");
  return wanted;
}

/// {"job": 17} or {"jobs": [17, 18]}, and for "alter" the changes.
Answer alter(JobManager& jobs, const ViewTime& time, const Ask& ask, const Json& argument,
             JobManagerEffects& effects) {
  NamedJobs named = jobs_in(jobs, argument);
  if (named.count == 0) return no_jobs(ask);
  Alteration wanted;
  if (ask.verb == "alter") {
    auto read = alteration_in(argument);
    if (auto* fault = std::get_if<std::string>(&read)) return views::fault(ask, std::move(*fault));
    wanted = std::get<Alteration>(read);
  } else {
    wanted.held = ask.verb == "hold";
  }
  Json changed = Json::array(), unchanged = Json::array(), &refused = named.refused;
  for (const std::uint64_t number : named.numbers) {
    const Altered altered = jobs.alter(time.now, number, wanted, effects);
    if (!altered.fault.empty())
      refused.push_back({{"job", number}, {"reason", altered.fault}});
    else
      (altered.changed ? changed : unchanged).push_back(number);
  }
  if (named.count == 1 && !refused.empty()) return views::fault(ask, refused[0]["reason"].get<std::string>());
  return views::answer(
      ask,
      {{"changed", std::move(changed)}, {"unchanged", std::move(unchanged)}, {"refused", std::move(refused)}});
}

}  // namespace

std::optional<Answer> answer_job_orders(JobManager& jobs, const ViewTime& time, const Ask& ask,
                                        JobManagerEffects& effects) {
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb.substr(0, 64) + ": the argument is not a JSON object");
  if (ask.verb == "cancel") return cancel(jobs, time, ask, *argument, effects);
  if (ask.verb == "hold" || ask.verb == "release" || ask.verb == "alter")
    return alter(jobs, time, ask, *argument, effects);
  return std::nullopt;
}

}  // namespace dmm
