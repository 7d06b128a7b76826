// Passes of matchmaking; see matcher.hpp.
#include "sitemgr/matcher.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// The most that start in one step: where nodes for more come free at once, other parties are heard in between.
constexpr std::size_t starts_a_step = 1'000;

}  // namespace

/// By what is so now, not by what was counted: whatever takes the blocking request away, the others see it.
bool Matcher::makes_way(const RequestQueue& queue) const {
  if (!blocker_) return false;
  const LocalRequest* request = queue.find(*blocker_);
  return !request || !request->kind->servable || may_be_passed(*request);
}

bool Matcher::may_be_passed(const LocalRequest& head) const { return !scan_ && head.is_away(); }

/// The first in order blocks the others if the policy is strict, or if it was overtaken for too long: then nodes
/// are reserved for it.
bool Matcher::blocks(Instant now, const LocalRequest& head, const SiteSettings& settings) const {
  if (!scan_) return true;
  return head.overtaken && now - *head.overtaken >= settings.overtaken_limit;
}

/// Where it could start now; what is reserved for another request is left out.
std::optional<Placement> Matcher::fit(const LocalRequest& request, const Site& site) const {
  const ResourceNeed& need = request.kind->need;
  std::vector<ClusterView> clusters = site.owned.views(need.constraints);
  site.reservation.keep_from(clusters, request.request.id);
  return site.placer.place(need, clusters);
}

// ---- a pass --------------------------------------------------------------------------------------------------------

void Matcher::begin(RequestQueue& queue, const Site& site) {
  DMM_ASSERT(pass_.phase == Phase::idle && !pass_.is_reserved);
  // What didn't fit before may fit now if nodes came free, or if no request stands in its way any more.
  const Seen now{site.owned.freed(), site.reservation.changes()};
  bool more_free = std::exchange(unfinished_, false) || std::exchange(seen_, now) != now || makes_way(queue);
  more_free |= std::exchange(was_drained_, site.is_drained);
  pass_.looked_at = std::exchange(fresh_, {});
  if (site.is_drained) blocker_.reset();
  const bool goes_on = std::exchange(pass_goes_on_, false);
  const auto is_passed = [&](const RequestId& id) {
    const LocalRequest* request = queue.find(id);
    return request && sweep_.is_passed(*request->kind, queue.dispatch_key(*request));
  };
  if (goes_on)  // a request that the pass has gone by is looked at when all have been
    pass_again_ |= more_free || std::ranges::any_of(pass_.looked_at, is_passed);
  else
    more_free |= std::exchange(pass_again_, false);
  if ((!more_free && pass_.looked_at.empty() && !goes_on) || site.is_drained) return;
  if (goes_on)
    sweep_.go_on(queue.fitting());
  else if (more_free)
    sweep_.begin(queue.fitting());
  pass_.phase = Phase::reserved;
  pass_.left = starts_a_step;
  pass_.next_fresh = 0;
  pass_.looks_at_all = more_free || goes_on;
  pass_.from_head = true;
}

std::optional<Matcher::Match> Matcher::next(Instant now, RequestQueue& queue, const Site& site) {
  DMM_ASSERT(!pass_.is_reserved);  // the last match was placed
  if (pass_.phase == Phase::reserved) {
    pass_.phase = Phase::heads;
    pass_.was_blocked = blocker_.has_value();
    LocalRequest* request = site.reservation.held() ? queue.find(site.reservation.held()->request) : nullptr;
    if (auto placement = request ? fit(*request, site) : std::nullopt) {
      pass_.is_reserved = true;
      return Match{*request, std::move(*placement), true};
    }
  }
  if (pass_.phase == Phase::heads)
    if (auto match = next_head(now, queue, site)) return match;
  if (pass_.phase == Phase::fresh) return next_fresh(queue, site);
  if (pass_.phase == Phase::fitting) return next_fitting(queue, site);
  return std::nullopt;
}

void Matcher::placed(Instant now, RequestQueue& queue) {
  DMM_ASSERT(pass_.phase != Phase::idle && pass_.phase != Phase::reserved);
  ++started_;
  if (std::exchange(pass_.is_reserved, false)) return;
  DMM_ASSERT(pass_.left > 0);
  --pass_.left;
  if (pass_.phase == Phase::heads) return;
  LocalRequest* first = queue.head();
  if (first && queue.dispatch_key(*first) < pass_.key && !first->overtaken) first->overtaken = now;
}

/// The first in order, while requests in front block those behind them.
std::optional<Matcher::Match> Matcher::next_head(Instant now, RequestQueue& queue, const Site& site) {
  const bool never_ends = DMM_PLANT(guard_never_ends) && site.settings.overtaken_limit > seconds(1000);
  for (;;) {
    LocalRequest* head = std::exchange(pass_.from_head, false) ? queue.head() : pass_.cursor;
    if (!head || pass_.left == 0 || !blocks(now, *head, site.settings)) {
      end_heads(queue, nullptr);
      return std::nullopt;
    }
    DMM_ASSERT(head->kind->servable);
    const bool passed = may_be_passed(*head);
    pass_.cursor = passed ? queue.after(*head) : nullptr;
    if (!(never_ends && head->overtaken))
      if (auto placement = fit(*head, site)) {
        pass_.from_head = true;
        return Match{*head, std::move(*placement)};
      }
    if (passed) continue;
    end_heads(queue, head);
    return std::nullopt;
  }
}

/// With what the pass goes on when no more requests start from the head of the queue.
void Matcher::end_heads(RequestQueue& queue, const LocalRequest* blocker) {
  DMM_ASSERT(pass_.phase == Phase::heads && (!blocker || pass_.left > 0));
  blocker_ = blocker ? std::optional(blocker->request.id) : std::nullopt;
  if (scan_ && blocker_ && *blocker_ != told_) overtaken_ = told_ = *blocker_;
  // A request that came stands before the one that blocked the others, and doesn't block them.
  if (pass_.was_blocked && !blocker_ && !pass_.looks_at_all) {
    sweep_.begin(queue.fitting());
    pass_.looks_at_all = true;
  }
  if (blocker_ || !scan_) return finish();
  pass_.phase = pass_.looks_at_all ? Phase::fitting : Phase::fresh;
}

/// Of those that came since the last pass: what waited before still doesn't fit.
std::optional<Matcher::Match> Matcher::next_fresh(RequestQueue& queue, const Site& site) {
  DMM_ASSERT(pass_.phase == Phase::fresh && pass_.next_fresh <= pass_.looked_at.size());
  while (pass_.left > 0 && pass_.next_fresh < pass_.looked_at.size()) {
    LocalRequest* request = queue.find(pass_.looked_at[pass_.next_fresh++]);
    const bool may = request && request->kind->servable && !sweep_.is_misfit(*request->kind);
    if (!may || request->kind->widest > site.owned.largest_idle()) continue;
    if (auto match = try_overtaking(*request, queue, site)) return match;
  }
  finish();
  return std::nullopt;
}

/// Of all that might fit. Each turn finds one that starts, or that nothing of its class fits.
std::optional<Matcher::Match> Matcher::next_fitting(RequestQueue& queue, const Site& site) {
  DMM_ASSERT(pass_.phase == Phase::fitting && pass_.looks_at_all);
  while (pass_.left > 0) {
    LocalRequest* request = sweep_.first_fitting(queue.fitting(), site.owned.largest_idle());
    if (!request) break;
    if (auto match = try_overtaking(*request, queue, site)) return match;
  }
  pass_goes_on_ = pass_.left > 0 && sweep_.is_unfinished();
  finish();
  return std::nullopt;
}

std::optional<Matcher::Match> Matcher::try_overtaking(LocalRequest& request, RequestQueue& queue,
                                                      const Site& site) {
  DMM_ASSERT(request.kind->servable && !sweep_.is_misfit(*request.kind));
  auto placement = fit(request, site);
  if (!placement) {
    sweep_.set_misfit(*request.kind);
    return std::nullopt;
  }
  pass_.key = queue.dispatch_key(request);
  return Match{request, std::move(*placement)};
}

void Matcher::finish() {
  DMM_ASSERT(pass_.phase != Phase::idle && pass_.left <= starts_a_step);
  pass_.phase = Phase::idle;
  unfinished_ = pass_.left == 0;
}

}  // namespace dmm
