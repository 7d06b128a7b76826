// Requests in several parts, and their attempts; see co_allocator.hpp.
#include "sitemgr/co_allocator.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/part_key.hpp"

namespace dmm {
namespace {

constexpr Duration pause_first = milliseconds(500);
constexpr Duration pause_last = seconds(8);
constexpr Duration woken_after = milliseconds(500);
/// An older request goes before a younger one where there is news since its last try, but no more often than this.
constexpr Duration elder_again = milliseconds(100);
/// An owner may change its rules, and is asked again then.
constexpr Duration avoided_for = seconds(300);
/// Of the sites that a request avoids.
constexpr std::size_t avoided_max = 64;
/// How many older requests are looked at before one that is due.
constexpr int elders_max = 8;

}  // namespace

std::string_view to_text(CoPart::State state) {
  switch (state) {
    case CoPart::State::refused: return "refused";
    case CoPart::State::asked: return "asked";
    case CoPart::State::held: return "held";
    case CoPart::State::claimed: return "claimed";
  }
  return "unknown";
}

bool CoAttempt::all_past(CoPart::State state) const {
  DMM_ASSERT(!parts.empty());
  return std::ranges::all_of(parts, [&](const CoPart& part) { return part.state >= state; });
}

// ---- requests that wait ---------------------------------------------------------------------------------------

void CoAllocator::add(Instant now, const RequestId& request, Instant since) {
  const auto [at, is_new] = waiting_.try_emplace(request);
  DMM_ASSERT(is_new);
  at->second.since = since;
  times_.set(at->second.due, request, now);
}

void CoAllocator::drop(const RequestId& request) {
  const auto at = waiting_.find(request);
  if (at == waiting_.end()) return;
  DMM_ASSERT(!at->second.attempt);
  times_.set(at->second.due, request, never);
  pausing_.erase({at->second.since, request});
  asleep_.erase(request);
  awaiting_.erase(request);
  waiting_.erase(at);
}

std::optional<RequestId> CoAllocator::take_due(Instant now) {
  const std::optional<RequestId> due = times_.due(now);
  if (!due) return std::nullopt;
  const RequestId next = elder_of(now, *due);
  take(next);
  return next;
}

void CoAllocator::take(const RequestId& request) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt && waiting.due != never);
  times_.set(waiting.due, request, never);
  pausing_.erase({waiting.since, request});
  asleep_.erase(request);
  awaiting_.erase(request);
}

std::optional<RequestId> CoAllocator::longest_pausing() const {
  return pausing_.empty() ? std::nullopt : std::optional(pausing_.begin()->second);
}

/// The request itself, or an older one that pauses: one for which there is news since its last try, or that wasn't
/// tried lately.
RequestId CoAllocator::elder_of(Instant now, const RequestId& due) const {
  const std::pair own{waiting_.at(due).since, due};
  int looked_at = 0;
  for (const auto& [since, request] : pausing_) {
    if (++looked_at > elders_max || std::pair{since, request} >= own) break;
    const Waiting& elder = waiting_.at(request);
    if (elder.tried + (elder.news == news_ ? woken_after : elder_again) <= now) return request;
  }
  return due;
}

void CoAllocator::try_at(const RequestId& request, Instant at) {
  Waiting& waiting = waiting_.at(request);
  DMM_ASSERT(!waiting.attempt);
  times_.set(waiting.due, request, at);
}

void CoAllocator::await_reports(const RequestId& request, Instant until) {
  try_at(request, until);
  awaiting_.insert(request);
}

void CoAllocator::reports_came(Instant now) {
  ++news_;
  for (const RequestId& request : std::exchange(awaiting_, {})) times_.set(waiting_.at(request).due, request, now);
}

void CoAllocator::more_is_free(Instant now) {
  ++news_;
  for (const RequestId& request : std::exchange(asleep_, {})) {
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
  ++waiting.tries;
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
    if (part.state >= CoPart::State::held) by_lease_.erase(part.lease);
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
  ++waiting.tries;
  pause(now, request, waiting, std::move(why));
}

void CoAllocator::pause(Instant now, const RequestId& request, Waiting& waiting, std::string why) {
  DMM_ASSERT(!waiting.attempt);
  waiting.last_failure = std::move(why);
  waiting.tried = now;
  waiting.news = news_;
  pausing_.emplace(waiting.since, request);
  asleep_.insert(request);
  waiting.pause = waiting.pause == Duration{} ? pause_first : std::min(waiting.pause * 2, pause_last);
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
