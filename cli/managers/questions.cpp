#include "cli/managers/questions.hpp"
#include "cli/terminal/json_text.hpp"

#include <functional>
#include <map>
#include <utility>

#include "cli/managers/silence.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

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

template <class T>
std::optional<T> optional_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? std::nullopt : std::optional(found->get<T>());
}

/// Reads an answer as JSON; other text is a fault.
void read_answer(Reply& reply, Answered& answered) {
  answered.fault = std::move(reply.fault);
  answered.manager_said = reply.why == Unanswered::no;
  if (!answered.fault.empty()) {
    answered.fault += remedy_of(answered.manager, reply);
    return;
  }
  answered.json = Json::parse(reply.text, nullptr, false);
  if (!answered.json.is_object())
    answered.fault = to_text(answered.manager.party) + " gave an answer that isn't a JSON object";
}

/// Sends several questions or orders to all managers at once.
std::vector<std::vector<Answered>> put_all(const std::vector<Manager>& managers,
                                           const std::vector<std::string>& verbs, const Json& argument,
                                           Duration within, bool are_orders) {
  ClientPool pool;
  pool.give_up_early();
  std::vector<std::vector<Answered>> all(verbs.size(), std::vector<Answered>(managers.size()));
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> by_token;  // the question, the manager
  for (std::size_t i = 0; i < managers.size(); ++i) {
    const auto connected = pool.connect(managers[i].party, managers[i].endpoint);
    for (std::size_t verb = 0; verb < verbs.size(); ++verb) {
      all[verb][i].manager = managers[i];
      if (const auto* fault = std::get_if<std::string>(&connected)) {
        all[verb][i].fault = *fault;
        continue;
      }
      const std::size_t number = std::get<std::size_t>(connected);
      by_token[are_orders ? pool.order(number, verbs[verb], argument.dump())
                          : pool.ask(number, verbs[verb], argument.dump())] = {verb, i};
    }
  }
  for (Reply& reply : pool.wait_all(within))
    if (const auto found = by_token.find(reply.token); found != by_token.end())
      read_answer(reply, all[found->second.first][found->second.second]);
  return all;
}

/// One walk over the jobs of several managers.
class JobFetch {
 public:
  JobFetch(const std::vector<Manager>& managers, const JobQuestion& question)
      : managers_(managers), question_(question), teller_(question.command, "still asking; Ctrl-C ends that") {
    pool_.give_up_early();
    for (std::size_t i = 0; i < managers.size(); ++i) {
      const auto connected = pool_.connect(managers[i].party, managers[i].endpoint);
      if (const auto* fault = std::get_if<std::string>(&connected)) {
        faults_.push_back(*fault);
        continue;
      }
      const std::size_t number = std::get<std::size_t>(connected);
      index_of_.push_back(i);
      ask_page(number, 0);
      if (question.counts) asked_[pool_.ask(number, "counts")] = Asked::counts;
    }
  }

  std::vector<std::string> run() {
    while (!asked_.empty()) {
      for (Reply& reply : pool_.poll(milliseconds(100))) take(std::move(reply));
      const Instant now = monotonic_now();
      teller_.look(pool_, now);
      give_up_on_silent(now);
    }
    return std::move(faults_);
  }

 private:
  enum class Asked : std::uint8_t { page, counts };

  void ask_page(std::size_t number, std::uint64_t first) {
    Json argument{{"from", first}};
    if (!question_.states.empty()) argument["states"] = question_.states;
    if (question_.elements) argument["elements"] = true;
    asked_[pool_.ask(number, "queue", argument.dump())] = Asked::page;
  }

  void take(Reply reply) {
    const auto found = asked_.find(reply.token);
    if (found == asked_.end()) return;
    const Asked asked = found->second;
    asked_.erase(found);
    const std::size_t index = index_of_[reply.manager];
    Answered answered{managers_[index], {}, {}};
    read_answer(reply, answered);
    if (asked == Asked::counts) {  // a manager that doesn't answer the other question describes that better
      if (answered.fault.empty()) question_.counts(answered.json);
      return;
    }
    if (!answered.fault.empty()) return faults_.push_back(answered.fault);
    for (const Json& job : answered.json.value("jobs", Json::array())) question_.each(index, job);
    if (const Json next = answered.json.value("next", Json()); next.is_number_unsigned())
      ask_page(reply.manager, next.get<std::uint64_t>());
  }

  void give_up_on_silent(Instant now) {
    std::vector<std::uint64_t> given_up;
    for (const auto& [token, asked] : asked_)
      if (const auto since = pool_.silent_since_asked(token); since && now - *since > question_.patience)
        given_up.push_back(token);
    for (const std::uint64_t token : given_up) take(pool_.give_up(token, question_.patience));
  }

  const std::vector<Manager>& managers_;
  const JobQuestion& question_;
  ClientPool pool_;
  SilenceTeller teller_;
  std::map<std::uint64_t, Asked> asked_;  ///< by token
  std::vector<std::size_t> index_of_;     ///< by number in the pool: the index in managers_
  std::vector<std::string> faults_;
};

ToldJob::Place place_from_json(const Json& json) {
  ToldJob::Place place{text_in(json, "owner"), text_in(json, "lease"), texts_in(json, "chain"), {}};
  if (const auto list = json.find("components"); list != json.end() && list->is_array())
    for (const Json& component : *list)
      if (component.is_number_unsigned()) place.components.push_back(component.get<std::uint64_t>());
  return place;
}

}  // namespace

std::string remedy_of(const Manager& manager, const Reply& reply) {
  const std::string program(to_text(manager.party.role));
  switch (reply.why) {
    case Unanswered::no_listener:
      if (manager.testbed.empty()) return "; start it with `" + program + " --config FILE`";
      return "; start it with `dmm testbed restart " + manager.testbed + " --which \"" + to_text(manager.party) +
             "\"`";
    case Unanswered::not_permitted:
      return reply.owner.empty() ? std::string() : "; run this command as " + reply.owner;
    case Unanswered::no_such_host: return "; is it spelt right?";
    case Unanswered::another_name:
      return "; leave out --site, --as-site and --as-user, or give this name with them";
    case Unanswered::silence:
      return manager.testbed.empty() ? std::string()
                                     : "; `dmm testbed status " + manager.testbed + "` shows which daemons run";
    case Unanswered::no:
    case Unanswered::too_long: return {};
  }
  return {};
}

std::vector<std::vector<Answered>> ask_all(const std::vector<Manager>& managers,
                                           const std::vector<std::string>& verbs, const Json& argument,
                                           Duration within) {
  return put_all(managers, verbs, argument, within, false);
}

std::vector<Answered> ask_all(const std::vector<Manager>& managers, const std::string& verb, const Json& argument,
                              Duration within) {
  return std::move(ask_all(managers, std::vector{verb}, argument, within).front());
}

Answered ask_one(const Manager& manager, const std::string& verb, const Json& argument) {
  return std::move(ask_all({manager}, verb, argument).front());
}

std::string add_pages(Answered& first, const std::string& verb) {
  Json next = first.json.value("next", Json());
  while (next.is_number_unsigned()) {
    const Answered more = ask_one(first.manager, verb, {{"from", next}});
    if (!more.fault.empty()) return more.fault;
    for (const Json& row : rows_in(more.json, verb.c_str())) first.json[verb].push_back(row);
    const Json after = more.json.value("next", Json());
    if (after == next) break;
    next = after;
  }
  return {};
}

Answered order_one(const Manager& manager, const std::string& verb, const Json& argument) {
  return std::move(put_all({manager}, {verb}, argument, seconds(5), true).front().front());
}

std::string ToldJob::title() const {
  const std::string owner = request.substr(0, request.rfind('/') + 1);
  if (array != 0) return owner + std::to_string(array) + '_' + std::to_string(index);
  return is_array() ? owner + std::to_string(number) + '[' + indices + ']' : request;
}

static void read_array_of(const Json& json, ToldJob& job) {
  job.array = value_in<std::uint64_t>(json, "array");
  job.index = value_in<std::uint32_t>(json, "index");
  const Json elements = object_in(json, "elements");
  job.indices = text_in(elements, "indices");
  job.size = value_in<std::uint64_t>(elements, "count");
  const Json held = object_in(elements, "held");
  job.held_elements = {"waiting", text_in(held, "indices"), value_in<std::uint64_t>(held, "count")};
  const Json states = object_in(elements, "states");
  for (const auto& [state, group] : states.items())
    job.groups.push_back({state, text_in(group, "indices"), value_in<std::uint64_t>(group, "count")});
}

/// Where the job runs or ran.
static void read_places(const Json& json, ToldJob& job) {
  if (const auto nodes = json.find("nodes"); nodes != json.end() && nodes->is_object())
    for (const auto& [manager, set] : nodes->items())
      if (set.is_string()) job.nodes += (job.nodes.empty() ? "" : ", ") + manager + " " + set.get<std::string>();
  job.isolation = texts_in(json, "isolation");
  for (const Json& one : rows_in(json, "places")) job.places.push_back(place_from_json(one));
  if (const auto place = json.find("place"); job.places.empty() && place != json.end() && place->is_object())
    job.places.push_back(place_from_json(*place));
  job.placement = text_in(json, "placement");
}

ToldJob job_from_json(const Json& json) {
  ToldJob job;
  job.number = value_in<std::uint64_t>(json, "job");
  read_array_of(json, job);
  job.name = value_in<std::string>(json, "name");
  job.state = value_in<std::string>(json, "state");
  job.request = value_in<std::string>(json, "request");
  job.origin = value_in<std::string>(json, "origin");
  job.text = value_in<std::string>(json, "text");
  job.processors = value_in<std::uint32_t>(json, "processors");
  job.attempt = value_in<std::uint32_t>(json, "attempt");
  job.reruns = value_in<std::uint32_t>(json, "reruns");
  job.false_starts = value_in<std::uint32_t>(json, "false_starts");
  job.interruptions = value_in<std::uint32_t>(json, "interruptions");
  job.interrupted_by = value_in<std::vector<std::string>>(json, "interrupted_by");
  for (const Json& one : rows_in(json, "interruption_causes"))
    job.causes.push_back({text_in(one, "owner"), text_in(one, "cause"), number_in<std::uint64_t>(one, "times")});
  job.hops = value_in<std::uint32_t>(json, "hops");
  job.tries = value_in<std::uint32_t>(json, "tries");
  job.submitted = value_in<double>(json, "submitted");
  job.wall_seconds = value_in<double>(json, "wall_seconds");
  job.overhead_seconds = value_in<double>(json, "overhead_seconds");
  job.granted = date_in(json, "granted");
  job.started = date_in(json, "started");
  job.waits_since = date_in(json, "waits_since");
  job.ran_from = date_in(json, "ran_from");
  job.again_at = date_in(json, "again_at");
  job.ran_before_seconds = value_in<double>(json, "ran_before_seconds");
  job.keeper_deaths = value_in<std::uint32_t>(json, "keeper_deaths");
  const Json output = object_in(json, "output");
  job.writing_seconds = value_in<double>(output, "waits_seconds");
  job.output_state = text_in(output, "state");
  job.at_lender = flag_in(output, "at_lender");
  for (const Json& head : rows_in(json, "heads"))
    job.heads.push_back({value_in<std::string>(head, "manager"), flag_in(head, "up"), date_in(head, "until")});
  job.ended = date_in(json, "ended");
  job.keep_output = value_in<bool>(json, "keep_output");
  job.limit_wall_seconds = value_in<double>(json, "limit_wall_seconds");
  job.held = flag_in(json, "held");
  job.begin_at = date_in(json, "begin_at");
  for (const Json& one : rows_in(json, "dependencies"))
    job.dependencies.push_back({value_in<std::string>(one, "kind"), value_in<std::uint64_t>(one, "job"),
                                optional_in<std::uint32_t>(one, "index")});
  read_places(json, job);
  job.left_behind = text_in(json, "left_behind");
  job.tasks = value_in<std::uint32_t>(json, "tasks");
  job.input_files = value_in<std::uint32_t>(json, "input_files");
  job.tasks_ready = value_in<std::uint32_t>(json, "tasks_ready");
  if (const auto exit = json.find("exit"); exit != json.end() && exit->is_object()) {
    job.exit_kind = value_in<std::string>(*exit, "kind");
    job.exit_code = value_in<std::int32_t>(*exit, "code");
    job.exit_fault = value_in<std::string>(*exit, "fault");
  }
  return job;
}

std::vector<std::string> fetch_jobs(const std::vector<Manager>& managers, const JobQuestion& question) {
  return JobFetch(managers, question).run();
}

}  // namespace dmm
