// Passes and rounds of search at home; see home_search.hpp.
#include "sitemgr/home_search.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

using Stage = LocalRequest::Search;

/// A pause may become this many times longer while no hint promises anything: a better hint ends it.
constexpr std::int64_t longer_without_hope = 60;

/// The most requests of one class that one pass looks at, of those that neighbours were asked for already.
constexpr int looked_at_max = 256;

}  // namespace

Duration answer_within(std::uint32_t dttl, const SiteSettings& settings, Duration round_trip) {
  const Duration cycles = (settings.matchmaking_cycle + settings.delegation_cycle) * dttl;
  return settings.answer_limit + cycles * 2 + round_trip * 2;
}

Duration search_within(std::uint32_t dttl, std::uint32_t tries, const SiteSettings& settings,
                       const Neighbours& neighbours) {
  const Duration round_trip = neighbours.round_trip_within(dttl);
  const Duration of_a_try = settings.matchmaking_cycle + settings.delegation_cycle + round_trip;
  return std::min(answer_within(dttl, settings, round_trip) + of_a_try * tries, search_within_max);
}

// ---- what may go ---------------------------------------------------------------------------------------------------

/// Nodes that take no new work are no capacity: a drained site is as busy as it can be.
Load HomeSearch::load(const OwnedNodes& owned, const RequestQueue& queue, bool is_drained) {
  DMM_ASSERT(owned.used() <= owned.total() && queue.totals().demand_here() <= queue.totals().demand());
  return {is_drained ? owned.total() : owned.used(), queue.totals().demand_here(), owned.total()};
}

/// A threshold of at most 1 lets no request queue for nodes that others have: what matchmaking found no place for goes
/// at any load, as where enough are free, but in several clusters.
bool HomeSearch::may_delegate(const RequestQueue& queue, const Site& site) {
  const double threshold = site.settings.delegation_threshold;
  const bool is_drained = site.drains.has_self();
  if (is_drained || over(load(site.owned, queue, is_drained), threshold)) return true;
  return threshold <= 1 && queue.totals().demand_here() > 0 &&
         site.matcher.has_matched(queue, site.owned, site.reservation);
}

/// How wide a simple request may be that is kept here: what fits starts at the next pass of matchmaking. None is
/// kept while nodes are reserved for a request that was overtaken for too long: the others would wait for it,
/// perhaps for hours.
std::uint32_t HomeSearch::keeps_up_to(const Site& site) {
  const bool is_held_back = site.matcher.is_blocked() || site.reservation.held() || site.drains.has_self();
  return site.settings.keep_local && !is_held_back ? site.owned.largest_idle() : 0;
}

/// Whether any neighbour's hint says that it may have room now.
bool HomeSearch::is_promised(const RequestClass& kind, const Neighbours& neighbours) {
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    const Neighbour& neighbour = neighbours[n];
    if (!neighbour.up || neighbour.removed) continue;
    if (may_fit({kind.widest, kind.dttl, 0}, {n, neighbour.hint, neighbour.known, 0})) return true;
  }
  return false;
}

// ---- rounds --------------------------------------------------------------------------------------------------------

void HomeSearch::begin_round(LocalRequest& request, const SiteSettings& settings) {
  DMM_ASSERT(request.search != Stage::out);
  ++request.round;
  request.tries_left = settings.tries_per_round;
  request.asks = 0;
  request.asked.clear();
  request.answers.clear();
}

std::uint64_t HomeSearch::new_stay(const RequestId& request, std::uint64_t incarnation) {
  return stable_hash(PartKey{request, static_cast<std::uint32_t>(++stays_), 0}) ^ incarnation;
}

/// The round is over: all that may have room were asked.
void HomeSearch::pause(Instant now, LocalRequest& request, RequestQueue& queue, const Site& site) {
  DMM_ASSERT(request.search == Stage::ready && request.asks > 0);
  const bool has_hope = !site.settings.use_hints || is_promised(*request.kind, site.neighbours);
  const Duration last = has_hope ? site.settings.pause_last : site.settings.pause_last * longer_without_hope;
  request.pause = request.pause == Duration{} ? site.settings.pause_first : std::min(request.pause * 2, last);
  request.resume_at = now + spread(request.pause, {request.request.id, 0, request.round});
  queue.set_search(request, Stage::pausing);
}

// ---- a pass --------------------------------------------------------------------------------------------------------

bool HomeSearch::begin(const RequestQueue& queue, const Site& site, const Targets& targets) {
  if (!site.settings.delegate) return false;
  const Seen now{queue.readied(), targets.openings(), site.neighbours.revision(),
                 site.feasibility.sources(site.owned), may_delegate(queue, site)};
  const std::uint32_t kept_up_to = keeps_up_to(site);
  // Where less is kept than at the last pass, what was kept then may go now.
  if (seen_ == now && kept_up_to >= kept_up_to_) return false;
  seen_ = now;
  kept_up_to_ = kept_up_to;
  servable_ = false;
  after_.reset();
  kind_ = nullptr;
  return true;
}

HomeSearch::Next HomeSearch::next(Instant now, RequestQueue& queue, const Site& site, Targets& targets) {
  while (kind_ || choose_class(queue, site)) {
    Next step = next_of_class(now, queue, site, targets);
    if (std::holds_alternative<Found>(step))
      kind_ = nullptr;  // the next of this class, or of another, is first now
    if (!std::holds_alternative<std::monostate>(step)) return step;
    // A class is passed over if its first request finds no neighbour to ask: the others need the same.
    if (!any_left_) after_ = first_;
    kind_ = nullptr;
  }
  return {};
}

/// The next class of the pass, in delegation order of their first requests; false if the pass is over. What this site
/// can never serve goes out first, at any load.
bool HomeSearch::choose_class(const RequestQueue& queue, const Site& site) {
  DMM_ASSERT(!kind_);
  while (!servable_ || may_delegate(queue, site)) {
    const auto& ready = queue.ready(servable_);
    const auto next = after_ ? ready.upper_bound(*after_) : ready.begin();
    if (next == ready.end()) {
      if (std::exchange(servable_, true)) return false;
      after_.reset();
      continue;
    }
    first_ = next->first;
    if (next->second->aimed || (servable_ && next->second->simple && next->second->widest <= kept_up_to_)) {
      after_ = first_;
      continue;
    }
    kind_ = next->second;
    DMM_ASSERT(kind_->servable == servable_ && kind_->dttl > 0 && kind_->ready.begin()->first == first_);
    looked_to_.reset();
    looked_at_ = 0;
    any_left_ = false;
    hopeless_.reset();
    return true;
  }
  return false;
}

/// The first request of the class that has a neighbour to ask, or that has ended its round; nothing when no more are to
/// be looked at.
HomeSearch::Next HomeSearch::next_of_class(Instant now, RequestQueue& queue, const Site& site, Targets& targets) {
  DMM_ASSERT(kind_);
  for (;;) {
    const auto at = looked_to_ ? kind_->ready.upper_bound(*looked_to_) : kind_->ready.begin();
    if (at == kind_->ready.end() || ++looked_at_ > looked_at_max) return {};
    LocalRequest& request = *at->second;
    DMM_ASSERT(request.kind == kind_ && request.search == Stage::ready);
    looked_to_ = at->first;
    const Duration length = request.request.length;
    const bool is_fresh = request.asks == 0;
    if (is_fresh && hopeless_ && length >= *hopeless_) continue;
    const SearchQuery query{{request.request.id, 0, request.round},
                            &kind_->need,
                            kind_->widest,
                            kind_->dttl,
                            length,
                            &request.asked,
                            nullptr};
    std::size_t target = 0;
    const Choice choice = request.asks >= site.settings.tries_per_round
                              ? Choice::none
                              : targets.choose(now, query, site.capacity, site.feasibility, target);
    request.window_full = choice == Choice::window_full;
    if (choice == Choice::found) return Found{request, target};
    // A request that was sent to no neighbour in this round is ready to go as soon as there is one to ask.
    if (choice == Choice::none && !is_fresh) {
      pause(now, request, queue, site);
      any_left_ = true;
      return Paused{request};
    }
    if (!is_fresh) continue;
    if (length == Duration{}) return {};
    hopeless_ = length;
  }
}

Delegate HomeSearch::ask(Instant now, const Found& found, RequestQueue& queue, const Site& site,
                         Duration user_round_trip) {
  LocalRequest& request = found.request;
  DMM_ASSERT(request.search == Stage::ready);
  const RequestClass& kind = *request.kind;
  DMM_ASSERT(kind.dttl > 0 && found.target < site.neighbours.size());
  request.asked.resize(site.neighbours.size());
  DMM_ASSERT(!request.asked[found.target]);
  request.asked[found.target] = true;
  request.target = found.target;
  ++request.asks;
  ++request.tries;
  DMM_ASSERT(request.asks <= site.neighbours.size());  // each is asked once in a round
  // What neighbours said of the budget lowers what others may spend of it, and never ends the round.
  if (request.tries_left > 0) --request.tries_left;
  const Duration within = search_within(kind.dttl, request.tries_left, site.settings, site.neighbours);
  request.asked_at = now;
  request.answer_by = now + within;
  queue.set_search(request, Stage::out);
  const Duration round_trip =
      user_round_trip + site.neighbours[found.target].round_trip;  // Starts will come this way
  Delegate delegate{request.whole(),      0,          request.round, kind.dttl - 1, request.tries_left, within,
                    {site.settings.name}, round_trip, request.stay};
  delegate.request.waited = now - request.since;
  return delegate;
}

}  // namespace dmm
