// The search for nodes elsewhere, at the home site: rounds of asking one neighbour after another (Iosup et al. 2007,
// sections 4.3 and 4.4; docs/protocol.md section 6).
#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/answers.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

using Stage = LocalRequest::Search;

/// A pause at whose end nobody's hint promises anything yet may become this much longer: a better hint ends it.
constexpr std::int64_t longer_without_hope = 60;

/// So many of one class that others asked for already are looked at in one pass.
constexpr int looked_at_max = 256;

}  // namespace

void SiteManager::begin_round(LocalRequest& request) {
  ++request.round;
  request.tries_left = settings_.tries_per_round;
  request.asks = 0;
  request.asked.clear();
  request.answers.clear();
}

void SiteManager::end_round(Step& s, LocalRequest& request) {
  const bool has_hope = !settings_.use_hints || is_promised(*request.kind);
  const Duration last = has_hope ? settings_.pause_last : settings_.pause_last * longer_without_hope;
  request.pause = request.pause == Duration{} ? settings_.pause_first : std::min(request.pause * 2, last);
  // Between 3/4 and 5/4 of it, by the request's own hash: what was rejected together doesn't come back together.
  const auto spread = static_cast<std::int64_t>(stable_hash(PartKey{request.request.id, 0, request.round}) % 512);
  request.resume_at = s.now + request.pause * (768 + spread) / 1024;
  queue_.set_search(request, Stage::pausing);
  s.out.log(Level::debug, "pause", request.request.id,
            {{"round", std::int64_t{request.round}}, {"seconds", (request.resume_at - s.now).in_seconds()}});
}

/// Whether anybody's hint says that it may have room now.
bool SiteManager::is_promised(const RequestClass& kind) const {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || neighbour.removed) continue;
    if (may_fit({kind.widest, kind.dttl, 0}, {n, neighbour.hint, neighbour.known, 0})) return true;
  }
  return false;
}

void SiteManager::run_due(Step& s) {
  while (LocalRequest* request = queue_.due(s.now)) {
    search_dirty_ = true;
    if (request->search == Stage::out) {
      targets_.silent(s.now, request->target);
      withdraw(s, *request);
      on_answer(s, *request, RejectReason::no_answer);
    } else {
      begin_round(*request);
      queue_.set_search(*request, Stage::ready);
    }
  }
}

// What fits here starts at the next pass, unless nodes gather for one that was overtaken for too long: then the others
// would wait for it, which may be hours.
bool SiteManager::keeps_local(const RequestClass& kind) const {
  return settings_.keep_local && !matcher_.is_blocked() && !reservation_.held() && !lending_.drained_here() && kind.simple &&
         kind.widest <= owned_.largest_idle();
}

/// Whether those that wait here may go to others. A threshold of at most 1 lets nobody queue for nodes that others
/// have: what matchmaking found no place for goes at any load, as where enough are free, but in several clusters.
bool SiteManager::may_delegate() const {
  if (lending_.drained_here() || over(load(), settings_.delegation_threshold)) return true;
  return settings_.delegation_threshold <= 1 && queue_.demand_here() > 0 && matcher_.has_matched(queue_, owned_);
}

/// Classes in delegation order of their first; one of which the first finds nobody to ask is passed over, since the
/// others need the same.
void SiteManager::delegate_local(Step& s) {
  const bool may_go = may_delegate();
  search_dirty_ |= std::exchange(could_delegate_, may_go) != may_go;
  if (!settings_.delegate || !std::exchange(search_dirty_, false)) return;
  for (const bool servable : {false, true}) {  // what this site can never serve goes out at any load
    std::optional<OrderKey> after;
    while (!servable || may_delegate()) {
      const auto& ready = queue_.ready(servable);
      const auto next = after ? ready.upper_bound(*after) : ready.begin();
      if (next == ready.end()) break;
      RequestClass& kind = *next->second;
      const OrderKey first = next->first;
      if (servable && keeps_local(kind)) {
        after = first;
        continue;
      }
      if (ask_class(s, kind)) continue;  // its first left; the next of it, or of another class, is looked at
      after = first;
    }
  }
}

/// Asks for the first of the class for whom there is somebody to ask; whether any left the list of those that are
/// ready.
bool SiteManager::ask_class(Step& s, RequestClass& kind) {
  bool any_left = false;
  int looked_at = 0;
  std::optional<Duration> hopeless;  // those that run as long find nobody, as one before them
  for (auto it = kind.ready.begin(); it != kind.ready.end();) {
    LocalRequest& request = *it->second;
    const OrderKey key = it->first;
    const bool is_fresh = request.asks == 0;
    if (++looked_at > looked_at_max) break;
    if (is_fresh && hopeless && request.request.length >= *hopeless) {
      ++it;
      continue;
    }
    const Choice choice = ask_next(s, request);
    if (choice == Choice::found) return true;
    const bool is_paused = request.search == Stage::pausing;
    any_left |= is_paused;
    if (!is_paused && is_fresh) {
      if (request.request.length == Duration{}) return any_left;
      hopeless = request.request.length;
    }
    it = kind.ready.upper_bound(key);
  }
  return any_left;
}

/// How long an answer may take: our own limit, everybody's cycles, and the way to the farthest site and back, twice.
Duration SiteManager::answer_within(std::uint32_t dttl) const {
  const Duration cycles = (settings_.matchmaking_cycle + settings_.delegation_cycle) * dttl;
  return settings_.answer_limit + cycles * 2 + neighbours_.round_trip_within(dttl) * 2;
}

Choice SiteManager::ask_next(Step& s, LocalRequest& request) {
  const RequestClass& kind = *request.kind;
  const PartKey key{request.request.id, 0, request.round};
  const SearchQuery query{key, &kind.need, kind.widest, kind.dttl, request.request.length, &request.asked, nullptr};
  std::size_t target = 0;
  const Choice choice = request.asks >= settings_.tries_per_round ? Choice::none : choose(s.now, query, target);
  request.window_full = choice == Choice::window_full;
  // Who asked nobody in this round yet is ready to do so as soon as there is somebody.
  if (choice == Choice::none && request.asks > 0) end_round(s, request);
  if (choice != Choice::found) return choice;

  request.asked.resize(neighbours_.size());
  request.asked[target] = true;
  request.target = target;
  ++request.asks;
  ++request.tries;
  // What neighbours said of the budget lowers what others may spend of it, and never ends the round.
  if (request.tries_left > 0) --request.tries_left;
  targets_.sent(target, kind.widest);
  const Duration within = answer_within(kind.dttl);
  request.answer_by = s.now + within;
  queue_.set_search(request, Stage::out);
  // From where the Starts will come.
  const Duration round_trip =
      users_.round_trip(job_manager_of(settings_.name, request.request.id.user)) + neighbours_[target].round_trip;
  Delegate delegate{request.whole(), 0, request.round, kind.dttl - 1, request.tries_left, within, {settings_.name},
                    round_trip, request.stay};
  delegate.request.waited = s.now - request.since;
  s.out.log(Level::info, "delegate", request.request.id,
            {{"to", neighbours_[target].site.text},
             {"dttl", std::int64_t{delegate.dttl}},
             {"round", std::int64_t{request.round}},
             {"tries_left", std::int64_t{request.tries_left}}});
  send(s, target, std::move(delegate), request.request.id);
  return choice;
}

void SiteManager::on_answer(Step& s, LocalRequest& request, RejectReason reason) {
  // The request is no longer out: whoever calls this took it back or got its answer.
  search_dirty_ = true;
  const bool said_nothing = reason == RejectReason::no_answer || reason == RejectReason::link_down;
  if (said_nothing && request.answers.size() < answers_max)
    request.answers.push_back({neighbours_[request.target].site, reason});
  s.out.log(Level::info, "rejected", request.request.id,
            {{"by", neighbours_[request.target].site.text}, {"reason", std::string(to_text(reason))}});
}

void SiteManager::withdraw(Step& s, LocalRequest& request) {
  DMM_ASSERT(request.search == Stage::out);
  targets_.back(request.target, request.kind->widest);
  queue_.set_search(request, Stage::ready);
  s.out.log(Level::info, "withdraw", request.request.id, {{"to", neighbours_[request.target].site.text}});
  send(s, request.target, Withdraw{request.request.id, 0, request.round}, request.request.id);
}

}  // namespace dmm
