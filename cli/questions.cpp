// See questions.hpp.
#include "cli/questions.hpp"

#include <functional>
#include <map>
#include <utility>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> date_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

template <class T>
T value_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return T{};
  return found->get<T>();
}

/// An answer as JSON; what isn't JSON is a fault of its own.
void read_answer(Reply& reply, Answered& answered) {
  answered.fault = std::move(reply.fault);
  if (!answered.fault.empty()) return;
  answered.json = Json::parse(reply.text, nullptr, false);
  if (!answered.json.is_object())
    answered.fault = to_text(answered.manager.party) + " answered what is no JSON object";
}

}  // namespace

std::vector<std::vector<Answered>> ask_all(const std::vector<Manager>& managers, const std::vector<std::string>& verbs,
                                           const Json& argument, Duration within) {
  ClientPool pool;
  std::vector<std::vector<Answered>> all(verbs.size(), std::vector<Answered>(managers.size()));
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> by_token;  // the question, the manager
  for (std::size_t i = 0; i < managers.size(); ++i) {
    const auto connected = pool.connect(managers[i].party, managers[i].endpoint);
    for (std::size_t verb = 0; verb < verbs.size(); ++verb) {
      all[verb][i].manager = managers[i];
      if (const auto* fault = std::get_if<std::string>(&connected))
        all[verb][i].fault = *fault;
      else
        by_token[pool.ask(std::get<std::size_t>(connected), verbs[verb], argument.dump())] = {verb, i};
    }
  }
  for (Reply& reply : pool.wait_all(within))
    if (const auto found = by_token.find(reply.token); found != by_token.end())
      read_answer(reply, all[found->second.first][found->second.second]);
  return all;
}

std::vector<Answered> ask_all(const std::vector<Manager>& managers, const std::string& verb, const Json& argument,
                              Duration within) {
  return std::move(ask_all(managers, std::vector{verb}, argument, within).front());
}

Answered ask_one(const Manager& manager, const std::string& verb, const Json& argument) {
  return std::move(ask_all({manager}, verb, argument).front());
}

JobRecord job_from_json(const Json& json) {
  JobRecord job;
  job.number = value_in<std::uint64_t>(json, "job");
  job.name = value_in<std::string>(json, "name");
  job.state = value_in<std::string>(json, "state");
  job.request = value_in<std::string>(json, "request");
  job.origin = value_in<std::string>(json, "origin");
  job.text = value_in<std::string>(json, "text");
  job.output_path = value_in<std::string>(json, "output_path");
  job.error_path = value_in<std::string>(json, "error_path");
  job.processors = value_in<std::uint32_t>(json, "processors");
  job.reruns = value_in<std::uint32_t>(json, "reruns");
  job.hops = value_in<std::uint32_t>(json, "hops");
  job.tries = value_in<std::uint32_t>(json, "tries");
  job.submitted = value_in<double>(json, "submitted");
  job.wall_seconds = value_in<double>(json, "wall_seconds");
  job.overhead_seconds = value_in<double>(json, "overhead_seconds");
  job.granted = date_in(json, "granted");
  job.started = date_in(json, "started");
  job.ended = date_in(json, "ended");
  job.keep_output = value_in<bool>(json, "keep_output");
  if (const auto place = json.find("place"); place != json.end() && place->is_object()) {
    job.owner = value_in<std::string>(*place, "owner");
    job.chain = value_in<std::vector<std::string>>(*place, "chain");
  }
  if (const auto exit = json.find("exit"); exit != json.end() && exit->is_object()) {
    job.exit_kind = value_in<std::string>(*exit, "kind");
    job.exit_code = value_in<std::int32_t>(*exit, "code");
    job.exit_fault = value_in<std::string>(*exit, "fault");
  }
  return job;
}

std::vector<std::string> fetch_jobs(const std::vector<Manager>& managers, const std::vector<std::string>& states,
                                    const std::function<void(std::size_t, const Json&)>& each, Duration silence) {
  ClientPool pool;
  std::vector<std::string> faults;
  std::map<std::uint64_t, std::size_t> asked;  // token -> index of the manager
  const auto ask = [&](std::size_t number, std::size_t index, std::uint64_t from) {
    Json argument{{"from", from}};
    if (!states.empty()) argument["states"] = states;
    asked[pool.ask(number, "queue", argument.dump())] = index;
  };
  for (std::size_t i = 0; i < managers.size(); ++i) {
    const auto connected = pool.connect(managers[i].party, managers[i].endpoint);
    if (const auto* fault = std::get_if<std::string>(&connected))
      faults.push_back(*fault);
    else
      ask(std::get<std::size_t>(connected), i, 0);
  }
  Instant end = monotonic_now() + silence;
  while (!asked.empty() && monotonic_now() < end) {
    for (Reply& reply : pool.poll(milliseconds(100))) {
      end = monotonic_now() + silence;
      const auto found = asked.find(reply.token);
      if (found == asked.end()) continue;
      const std::size_t index = found->second;
      asked.erase(found);
      Answered answered{managers[index], {}, {}};
      read_answer(reply, answered);
      if (!answered.fault.empty()) {
        faults.push_back(answered.fault);
        continue;
      }
      for (const Json& job : answered.json.value("jobs", Json::array())) each(index, job);
      if (const Json next = answered.json.value("next", Json()); next.is_number_unsigned())
        ask(reply.manager, index, next.get<std::uint64_t>());
    }
  }
  for (const auto& [token, index] : asked)
    faults.push_back("no answer from " + to_text(managers[index].party) + " at " + managers[index].endpoint +
                     ": is it running?");
  return faults;
}

}  // namespace dmm
