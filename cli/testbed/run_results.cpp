#include "cli/testbed/run_results.hpp"

#include <algorithm>
#include <fstream>

#include "cli/logs/log_records.hpp"
#include "cli/terminal/json_text.hpp"
#include "protocol/verbs.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

using State = JobOutcome::State;

State state_of(const std::string& state) {
  if (state == "finished") return State::finished;
  if (state == "failed") return State::failed;
  if (state == "cancelled") return State::cancelled;
  if (state == "lost") return State::lost;
  return State::unfinished;
}

Origin origin_of(const std::string& text) {
  for (std::size_t i = 0; i < origin_count; ++i)
    if (to_text(static_cast<Origin>(i)) == text) return static_cast<Origin>(i);
  return Origin::local;
}

/// Counts the messages that all processes sent about each job.
class RequestCounts {
 public:
  explicit RequestCounts(const std::vector<Manager>& managers) {
    for (const Manager& manager : managers) {
      const auto connected = pool_.connect(manager.party, manager.endpoint);
      if (const auto* number = std::get_if<std::size_t>(&connected)) ask(*number, {});
    }
  }

  void run(Duration within, std::vector<std::string>& faults) {
    for (const Instant end = monotonic_now() + within; pool_.open() > 0 && monotonic_now() < end;)
      for (const Reply& reply : pool_.poll(milliseconds(100))) take(reply, faults);
  }
  std::uint32_t of(const std::string& job) const {
    const auto found = counts_.find(job);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void ask(std::size_t number, const std::string& after) {
    Json argument = Json::object();
    if (!after.empty()) argument["after"] = after;
    pool_.ask(number, "requests", argument.dump());
  }
  void take(const Reply& reply, std::vector<std::string>& faults) {
    const Json json = Json::parse(reply.text, nullptr, false);
    if (!reply.fault.empty() || !json.is_object()) {
      faults.push_back(reply.fault.empty() ? "messages were not counted" : reply.fault);
      return;
    }
    std::string last;
    const Json page = json.value("by_request", Json::object());
    for (const auto& [request, count] : page.items())
      counts_[job_of_attempt(request)] += count.get<std::uint32_t>(), last = request;
    if (json.value("more", false) && !last.empty()) ask(reply.manager, last);
  }

  ClientPool pool_;
  std::map<std::string, std::uint32_t> counts_;
};

void count_messages(const std::vector<Manager>& managers, Harvest& harvest) {
  for (const Answered& answered : ask_all(managers, "messages")) {
    if (!answered.fault.empty()) {
      harvest.faults.push_back(answered.fault);
      continue;
    }
    const Json kinds = answered.json.value("sent_by_kind", Json::object());
    for (const auto& [kind, count] : kinds.items()) harvest.messages[kind] += count.get<std::uint64_t>();
    const Json sent = answered.json.value("sent", Json::object());
    // The questions of this command are no part of the run.
    const MessageKind kind = kind_of(Answer::type, Role::site_manager, Role::client);
    std::uint64_t& of_answers = harvest.messages[std::string(to_text(kind))];
    of_answers -= std::min(of_answers, sent.value("answer", std::uint64_t{0}));
    harvest.messages_resent += answered.json.value("resent", std::uint64_t{0});
  }
}

}  // namespace

JobOutcome outcome_of(const ToldJob& job, std::uint32_t cluster, double began, double speedup) {
  const auto trace = [&](double date) { return std::max(0.0, (date - began) * speedup); };
  JobOutcome outcome;
  outcome.cluster = cluster;
  outcome.state = state_of(job.state);
  outcome.submit_seconds = trace(job.submitted);
  if (job.started) outcome.start_seconds = trace(*job.started);
  if (job.ended) outcome.end_seconds = trace(*job.ended);
  // A program has its nodes from the grant on and runs for its own time. The rest of the time between the grant and its
  // known end is DMM's, in real time. Multiplied by the speed-up it would be mistaken for the schedule's.
  const bool ran = job.ended && (job.wall_seconds > 0 || !job.started);
  if (ran && job.granted) {
    outcome.start_seconds = std::max(outcome.submit_seconds, trace(*job.granted));
    outcome.end_seconds = outcome.start_seconds + job.wall_seconds * speedup;
  } else if (ran) {
    outcome.start_seconds = std::max(outcome.submit_seconds, outcome.end_seconds - job.wall_seconds * speedup);
  }
  outcome.processors = job.processors;
  outcome.origin = origin_of(job.origin);
  outcome.delegations = job.hops;
  outcome.delegations_tried = job.tries;
  outcome.overhead_seconds = job.overhead_seconds;
  return outcome;
}

bool went_farther(const ToldJob& a, const ToldJob& b) {
  if (a.state != "finished") return false;
  return b.number == 0 || std::pair(a.hops, a.tries) > std::pair(b.hops, b.tries);
}

void note_farthest(std::vector<ToldJob>& farthest, const ToldJob& job) {
  constexpr std::size_t few = 5;
  const auto at = std::ranges::find_if(farthest, [&](const ToldJob& other) { return went_farther(job, other); });
  if (job.state == "finished") farthest.insert(at, job);
  if (farthest.size() > few) farthest.pop_back();
}

Harvest harvest(const HarvestOptions& options) {
  Harvest result;
  std::vector<Manager> all, living, managers;
  for (const TestbedDaemon& daemon : options.testbed.daemons) {
    all.push_back({daemon.party, daemon.endpoint});
    if (is_alive(daemon.process)) living.push_back(all.back());  // the run reports dead daemons itself
  }
  std::vector<std::size_t> numbers;  // for each of `managers`: its index in the plan
  for (std::size_t i = 0; i < options.plan.managers.size(); ++i)
    for (const Manager& manager : all)
      if (manager.party == options.plan.managers[i]) managers.push_back(manager), numbers.push_back(i);

  RequestCounts counts(living);
  counts.run(seconds(20), result.faults);
  std::ofstream file(options.jobs_file);
  std::size_t known = 0;
  const auto take = [&](std::size_t manager, const Json& json) {
    const ToldJob job = job_from_json(json);
    const PlannedJob* planned = options.feeder.find(numbers[manager], job.number);
    if (planned == nullptr) return;  // a job of another program, submitted beside the run
    ++known;
    if (file.is_open()) file << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    result.outcomes.push_back(outcome_of(job, planned->cluster, options.began, options.speedup));
    result.outcomes.back().messages = counts.of(job_of_attempt(job.request));
    result.reruns += job.reruns + job.interruptions > 0 ? 1 : 0;
    if (job.granted) result.grant_seconds.push_back(std::max(0.0, *job.granted - job.submitted));
    if (job.ended) result.last_end = std::max(result.last_end, *job.ended);
    note_farthest(result.farthest, job);
  };
  for (std::string& fault : fetch_jobs(managers, {.command = "run", .states = {}, .each = take, .counts = {}}))
    result.faults.push_back(std::move(fault));
  // Jobs that were submitted but that no job manager lists.
  for (std::size_t i = known; i < options.feeder.submitted(); ++i) {
    result.outcomes.emplace_back();
    result.outcomes.back().state = State::lost;
  }
  count_messages(living, result);
  return result;
}

}  // namespace dmm
