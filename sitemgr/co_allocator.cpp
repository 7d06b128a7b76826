// Requests in several parts, and their attempts; see co_allocator.hpp.
#include "sitemgr/co_allocator.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/part_key.hpp"

namespace dmm {
namespace {

constexpr Duration pause_first = milliseconds(500);
constexpr Duration pause_last = seconds(8);
/// Where many wait, each is tried so seldom by itself that ten are in a second.
constexpr Duration try_costs = milliseconds(100);
/// How many are woken when more is free: the first in their order.
constexpr std::size_t woken_max = 32;
constexpr Duration woken_after = milliseconds(500);
/// An earlier request goes before a later one where there is news since its last try, but no more often than this.
constexpr Duration earlier_again = milliseconds(100);
/// Owners measure how long a request has waited less exactly than this.
constexpr Duration stands_before = seconds(1);
/// How long jobs may end for a request: that it needs several tries is usual. Then the pause: first and at most.
constexpr Duration preempting_for = seconds(60);
constexpr Duration preempting_pause_first = seconds(300), preempting_pause_last = seconds(86'400);
/// An owner may change its rules, and is asked again then.
constexpr Duration avoided_for = seconds(300);
/// Of the sites that a request avoids.
constexpr std::size_t avoided_max = 64;
/// How long a plan awaits files before they are asked for again: first and at most.
constexpr Duration tell_first = seconds(10);
constexpr Duration tell_last = seconds(300);
/// How many earlier requests are looked at before one that is due.
constexpr int earlier_max = 8;

}  // namespace

std::string_view to_text(CoPart::State state) {
  switch (state) {
    case CoPart::State::refused: return "refused";
    case CoPart::State::asked: return "asked";
    case CoPart::State::held: return "held";
    case CoPart::State::claimed: return "claimed";
    case CoPart::State::replaced: return "replaced";
  }
  return "unknown";
}

bool CoAttempt::all_past(CoPart::State state) const {
  DMM_ASSERT(!parts.empty());
  return std::ranges::all_of(parts, [&](const CoPart& part) { return part.state >= state; });
}

double CoAttempt::held() const {
  std::size_t all = 0, held = 0;
  for (const CoPart& part : parts) {
    if (part.state == CoPart::State::replaced) continue;
    all += part.components.size();
    if (part.is_held()) held += part.components.size();
  }
  DMM_ASSERT(all > 0 && held <= all);
  return static_cast<double>(held) / static_cast<double>(all);
}

// ---- requests that wait ---------------------------------------------------------------------------------------

void CoAllocator::add(Instant now, const RequestId& request, Instant since, bool is_high) {
  const auto [at, is_new] = waiting_.try_emplace(request);
  DMM_ASSERT(is_new);
  at->second.since = at->second.stands_since = since;
  at->second.is_low = !is_high;
  times_.set(at->second.due, request, now);
}

void CoAllocator::take_standing(const RequestId& request, Instant since) {
  Waiting& waiting = waiting_.at(request);
  waiting.stands_since = std::min(waiting.stands_since, since - stands_before);
}

bool CoAllocator::may_preempt(Instant now, const RequestId& request) const {
  const Waiting& waiting = waiting_.at(request);
  return now < waiting.preempts_until || now >= waiting.preempts_from;
}

void CoAllocator::preempts(Instant now, const RequestId& request) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(may_preempt(now, request));
  if (now < waiting.preempts_until) return;
  Duration& pause = waiting.preempting_pause;
  pause = pause == Duration{} ? preempting_pause_first : std::min(pause * 2, preempting_pause_last);
  waiting.preempts_until = now + preempting_for;
  waiting.preempts_from = waiting.preempts_until + pause;
}

void CoAllocator::drop(const RequestId& request) {
  const auto at = waiting_.find(request);
  if (at == waiting_.end()) return;
  DMM_ASSERT(!at->second.attempt);
  times_.set(at->second.due, request, never);
  await_no_files(request, at->second);
  pausing_.erase(turn_of(request));
  asleep_.erase(request);
  awaiting_.erase(request);
  waiting_.erase(at);
}

std::optional<RequestId> CoAllocator::take_due(Instant now, std::uint32_t high_scans) {
  const std::optional<RequestId> due = times_.due(now);
  if (!due) return std::nullopt;
  const Turn own = turn_of(*due);
  const RequestId next = earlier_than(now, own, high_tries_ < high_scans);
  if (waiting_.at(next).is_low)
    high_tries_ = 0;
  else if (own.is_low)
    ++high_tries_;
  take(next);
  return next;
}

CoAllocator::Turn CoAllocator::turn_of(const RequestId& request) const {
  const Waiting& waiting = waiting_.at(request);
  return {waiting.is_low, waiting.since, request};
}

void CoAllocator::take(const RequestId& request) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt && waiting.due != never);
  times_.set(waiting.due, request, never);
  pausing_.erase(turn_of(request));
  asleep_.erase(request);
  awaiting_.erase(request);
}

std::optional<RequestId> CoAllocator::longest_pausing() const {
  return pausing_.empty() ? std::nullopt : std::optional(pausing_.begin()->request);
}

/// The request itself, or one that pauses before it: one for which there is news since its last try, or that
/// wasn't tried lately. `with_high`: also those of a queue that goes before its own.
RequestId CoAllocator::earlier_than(Instant now, const Turn& due, bool with_high) const {
  int looked_at = 0;
  const auto first = with_high ? pausing_.begin() : pausing_.lower_bound(Turn{due.is_low, Instant{}, {}});
  for (auto at = first; at != pausing_.end() && *at < due && looked_at < earlier_max; ++at, ++looked_at) {
    const Waiting& earlier = waiting_.at(at->request);
    if (earlier.tried + (earlier.news == news_ ? woken_after : earlier_again) <= now) return at->request;
  }
  return due.request;
}

void CoAllocator::try_at(const RequestId& request, Instant at) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt);
  times_.set(waiting.due, request, at);
}

void CoAllocator::await_reports(Instant now, const RequestId& request, Instant until) {
  try_at(request, until);
  awaiting_.insert(request);
  // Reports make several requests due at the same time: their order is that of queues and age.
  Waiting& waiting = waiting_.at(request);
  waiting.tried = now - earlier_again;
  waiting.news = news_;
  pausing_.insert(turn_of(request));
}

void CoAllocator::plan(Instant now, const RequestId& request, ClaimPlan plan) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt && !waiting.plan && waiting.due == never);
  if (waiting.first_start == Instant{}) waiting.first_start = plan.start;
  times_.set(waiting.due, request, plan.claim);
  waiting.tell_pause = tell_first;
  if (!plan.awaited.empty()) tellings_.set(waiting.tell_at, request, now + waiting.tell_pause);
  waiting.plan = std::move(plan);
}

std::optional<RequestId> CoAllocator::take_awaiting_files(Instant now) {
  const std::optional<RequestId> request = tellings_.due(now);
  if (!request) return std::nullopt;
  Waiting& waiting = waiting_.at(*request);
  DMM_ASSERT(waiting.plan && !waiting.plan->awaited.empty());
  waiting.tell_pause = std::min(waiting.tell_pause * 2, tell_last);
  tellings_.set(waiting.tell_at, *request, now + waiting.tell_pause);
  return request;
}

void CoAllocator::files_came(Instant now, const RequestId& request, const PlannedPlace& place) {
  const auto at = waiting_.find(request);
  if (at == waiting_.end() || !at->second.plan) return;
  Waiting& waiting = at->second;
  if (std::erase(waiting.plan->awaited, place) == 0 || !waiting.plan->awaited.empty()) return;
  await_no_files(request, waiting);
  waiting.plan->start = std::min(waiting.plan->start, now);
  if (!waiting.attempt) times_.set(waiting.due, request, now);
}

const ClaimPlan* CoAllocator::plan_of(const RequestId& request) const {
  const auto at = waiting_.find(request);
  return at == waiting_.end() || !at->second.plan ? nullptr : &*at->second.plan;
}

bool CoAllocator::has_plans() const {
  return std::ranges::any_of(waiting_, [](const auto& one) { return one.second.plan.has_value(); });
}

ClaimRules CoAllocator::rules_of(const RequestId& request, const ClaimRules& first) const {
  return waiting_.at(request).rules.value_or(first);
}

Duration CoAllocator::start_delay(const RequestId& request) const {
  const ClaimPlan* plan = plan_of(request);
  return plan ? plan->start - waiting_.at(request).first_start : Duration{};
}

void CoAllocator::reports_came(Instant now) {
  ++news_;
  for (const RequestId& request : std::exchange(awaiting_, {})) times_.set(waiting_.at(request).due, request, now);
}

void CoAllocator::more_is_free(Instant now) {
  ++news_;
  std::size_t looked_at = 0;
  for (const Turn& turn : pausing_) {
    if (++looked_at > woken_max) break;
    const RequestId& request = turn.request;
    if (asleep_.erase(request) == 0) continue;
    Waiting& waiting = waiting_.at(request);
    // Two rivals that were woken at the same time once would be so again and again.
    const Duration after = spread(woken_after, {request, 0, waiting.tries});
    times_.set(waiting.due, request, std::min(waiting.due, std::max(now, waiting.tried + after)));
  }
}

// ---- attempts -------------------------------------------------------------------------------------------------

CoAttempt& CoAllocator::begin(const RequestId& request, std::uint32_t round, std::vector<CoPart> parts) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt && waiting.due == never && !parts.empty());
  if (!waiting.plan) ++waiting.tries;
  waiting.attempt = CoAttempt{round, std::move(parts), {}, {}};
  return *waiting.attempt;
}

CoAttempt* CoAllocator::find(const RequestId& request) {
  const auto at = waiting_.find(request);
  return at == waiting_.end() || !at->second.attempt ? nullptr : &*at->second.attempt;
}

const CoAttempt* CoAllocator::find(const RequestId& request) const {
  return const_cast<CoAllocator*>(this)->find(request);
}

void CoAllocator::held(const RequestId& request, CoPart& part, const LeaseId& lease) {
  DMM_ASSERT(part.state == CoPart::State::asked && find(request));
  part.state = CoPart::State::held;
  part.lease = lease;
  const bool is_new = by_lease_.emplace(lease, request).second;
  DMM_ASSERT(is_new);
}

std::optional<RequestId> CoAllocator::request_of(const LeaseId& lease) const {
  const auto at = by_lease_.find(lease);
  if (at == by_lease_.end()) return std::nullopt;
  DMM_ASSERT(find(at->second));
  return at->second;
}

void CoAllocator::refused(const RequestId& request, CoPart& part, std::string why) {
  DMM_ASSERT(part.state == CoPart::State::asked && part.neighbour);
  part.state = CoPart::State::refused;
  break_off(request, std::move(why));
}

void CoAllocator::break_off(const RequestId& request, std::string why) {
  CoAttempt* attempt = find(request);
  DMM_ASSERT(attempt && !why.empty());
  if (!attempt->broken.empty()) return;
  attempt->broken = std::move(why);
  broken_.push_back(request);
}

std::vector<RequestId> CoAllocator::asked_over(std::size_t neighbour) const {
  std::vector<RequestId> requests;
  for (const auto& [request, waiting] : waiting_) {
    if (!waiting.attempt) continue;
    const auto is_asked = [&](const CoPart& part) {
      return part.state == CoPart::State::asked && part.neighbour == neighbour;
    };
    if (std::ranges::any_of(waiting.attempt->parts, is_asked)) requests.push_back(request);
  }
  DMM_ASSERT(requests.size() <= waiting_.size());
  return requests;
}

std::optional<RequestId> CoAllocator::take_broken() {
  while (!broken_.empty()) {
    const RequestId request = broken_.back();
    broken_.pop_back();
    if (const CoAttempt* attempt = find(request); attempt && !attempt->broken.empty()) return request;
  }
  DMM_ASSERT(broken_.empty());
  return std::nullopt;
}

CoAttempt CoAllocator::succeed(const RequestId& request) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(waiting.attempt);
  CoAttempt attempt = std::move(*waiting.attempt);
  waiting.attempt.reset();
  for (const CoPart& part : attempt.parts)
    if (part.is_held()) by_lease_.erase(part.lease);
  return attempt;
}

CoAttempt CoAllocator::fail(Instant now, const RequestId& request) {
  CoAttempt attempt = succeed(request);
  pause(now, request, waiting_.at(request), attempt.broken);
  return attempt;
}

void CoAllocator::found_no_place(Instant now, const RequestId& request, std::string why) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt);
  if (!waiting.plan) ++waiting.tries;
  pause(now, request, waiting, std::move(why));
}

void CoAllocator::pause(Instant now, const RequestId& request, Waiting& waiting, std::string why) {
  DMM_ASSERT(!waiting.attempt);
  waiting.last_failure = std::move(why);
  if (waiting.plan) {
    if (claim_later(*waiting.plan, now)) return times_.set(waiting.due, request, waiting.plan->claim);
    waiting.rules = waiting.plan->rules.lowered();
    waiting.plan.reset();
    await_no_files(request, waiting);
  }
  waiting.tried = now;
  waiting.news = news_;
  pausing_.insert(turn_of(request));
  asleep_.insert(request);
  const Duration longest = std::max(pause_last, try_costs * static_cast<std::int64_t>(waiting_.size()));
  waiting.pause = waiting.pause == Duration{} ? pause_first : std::min(waiting.pause * 2, longest);
  times_.set(waiting.due, request, now + spread(waiting.pause, {request, 0, waiting.tries}));
}

void CoAllocator::avoid(Instant now, const RequestId& request, const SiteName& site) {
  std::map<SiteName, Instant>& avoided = waiting_.at(request).avoided;
  std::erase_if(avoided, [&](const auto& one) { return one.second <= now; });
  if (avoided.size() < avoided_max) avoided[site] = now + avoided_for;
}

bool CoAllocator::avoids(Instant now, const RequestId& request, const SiteName& site) const {
  const std::map<SiteName, Instant>& avoided = waiting_.at(request).avoided;
  const auto found = avoided.find(site);
  return found != avoided.end() && now < found->second;
}

// ---- for people -----------------------------------------------------------------------------------------------

std::string CoAllocator::last_failure(const RequestId& request) const {
  const auto at = waiting_.find(request);
  return at == waiting_.end() ? std::string() : at->second.last_failure;
}

std::uint32_t CoAllocator::tries(const RequestId& request) const {
  const auto at = waiting_.find(request);
  return at == waiting_.end() ? 0 : at->second.tries;
}

}  // namespace dmm
