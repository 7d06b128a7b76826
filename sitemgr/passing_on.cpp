// The steps of passing_on.hpp.
#include "sitemgr/passing_on.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/asked_sites.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/delegating.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/holding.hpp"

namespace dmm::site_steps {

/// A part of a co-allocated request goes to the one site at which it is aimed, or back.
static void pass_on_to(SiteStep& s, Foreign foreign, const SiteName& aim);
/// To neighbour `target`, which may take as long as `within`. Each hop waits less than the one before it, so that its
/// own answer is in time.
static void send_on(SiteStep& s, Foreign foreign, std::size_t target, Duration within);
static void reject(SiteStep& s, const Foreign& foreign, RejectReason reason);
/// What this site says of itself in a Reject, more exactly than by the reason of the whole.
static RejectReason exact(const SiteParts& parts, Instant now, const Foreign& foreign, RejectReason reason);

void on(SiteStep& s, FromSite from, Delegate& delegate) {
  const std::size_t n = from.neighbour;
  s.parts.lending.asks(n);
  Duration& waited = delegate.request.waited;
  waited = std::clamp(waited, Duration{}, waited_max) + s.parts.neighbours[n].round_trip / 2;
  Transit::Taken taken =
      s.parts.transit.take(s.now, n, s.parts.neighbours[n].site, std::move(delegate), s.parts.settings);
  if (taken.displaced) {
    withdraw_passed(s, *taken.displaced);
    reject(s, *taken.displaced, RejectReason::already_seen);
  }
  if (!taken.refused) return;
  if (taken.reason == RejectReason::malformed) s.parts.refuse(n, "delegate");
  reject(s, *taken.refused, taken.reason);
}

// ---- passing on -----------------------------------------------------------------------------------------------------

void pass_on(SiteStep& s, Foreign foreign) {
  const Delegate& asked = foreign.delegate;
  // A borrower that may not have it at all isn't told that there is too little.
  const bool by_limit =
      whole_reason(foreign.reason) == RejectReason::limit_reached || foreign.reason == RejectReason::too_long;
  if (const SiteName aim = aim_of(asked); !aim.empty()) return pass_on_to(s, std::move(foreign), aim);
  if (asked.dttl == 0) return reject(s, foreign, by_limit ? foreign.reason : RejectReason::dttl_exhausted);
  if (foreign.tries_left == 0)
    return reject(s, foreign, by_limit ? foreign.reason : RejectReason::tries_exhausted);
  // Two copies that came on different ways may have waited for the same cycle.
  if (s.parts.transit.is_passed_on(foreign.key())) return reject(s, foreign, RejectReason::already_seen);
  const ResourceNeed& need = foreign.need();
  const SearchQuery query{foreign.key(),  &need,       widest_component(need), asked.dttl, asked.request.length,
                          &foreign.asked, &asked.chain};
  std::size_t target = 0;
  if (s.parts.targets.choose(s.now, query, s.parts.capacity(), s.parts.feasibility, target) != Choice::found)
    return reject(s, foreign, foreign.reason);
  const Duration left =
      asked.answer_within - (s.now - foreign.taken) - s.parts.neighbours[foreign.from].round_trip;
  const Duration within = std::max(left, Duration{}) * 9 / 10;
  if (within <= s.parts.neighbours[target].round_trip)
    return reject(s, foreign, by_limit ? foreign.reason : RejectReason::tries_exhausted);
  send_on(s, std::move(foreign), target, within);
}

void pass_on_to(SiteStep& s, Foreign foreign, const SiteName& aim) {
  const Delegate& asked = foreign.delegate;
  const std::optional<std::size_t> next = s.parts.board.next_hop(s.now, aim);
  const bool is_way = aim != s.parts.settings.name && next && asked.dttl > 0 && foreign.tries_left > 0 &&
                      *next != foreign.from && !foreign.asked[*next] && s.parts.neighbours[*next].up &&
                      !s.parts.neighbours[*next].removed && !s.parts.transit.is_passed_on(foreign.key());
  if (!is_way) return reject(s, foreign, aim == s.parts.settings.name ? foreign.reason : RejectReason::link_down);
  if (s.parts.targets.of(*next).pressed) return reject(s, foreign, RejectReason::limit_reached);
  const Duration within = asked.answer_within * 9 / 10;
  send_on(s, std::move(foreign), *next, within);
}

void send_on(SiteStep& s, Foreign foreign, std::size_t target, Duration within) {
  const bool is_part = !aim_of(foreign.delegate).empty();
  s.parts.targets.sent(target, widest_component(foreign.need()), is_part ? Targets::Of::part : Targets::Of::whole);
  const Duration round_trip = s.parts.neighbours[target].round_trip;
  Delegate next = s.parts.transit.pass_on(s.now, std::move(foreign), target, round_trip, within,
                                          s.parts.settings.name, s.parts.neighbours.size());
  const RequestId id = next.request.id;
  s.effects.log(Level::info, "delegate", id,
                {{"to", s.parts.neighbours[target].site.text},
                 {"dttl", std::int64_t{next.dttl}},
                 {"round", std::int64_t{next.round}},
                 {"tries_left", std::int64_t{next.tries_left}}});
  send(s, target, std::move(next), id);
}

void note_back(SiteParts& parts, const Foreign& foreign) {
  parts.targets.back(foreign.target, widest_component(foreign.need()));
}

void withdraw_passed(SiteStep& s, const Foreign& foreign) {
  note_back(s.parts, foreign);
  const PartKey key = foreign.key();
  send(s, foreign.target, Withdraw{key.request, key.part, key.round}, key.request);
}

// ---- answers --------------------------------------------------------------------------------------------------------

void reject(SiteStep& s, const Foreign& foreign, RejectReason reason) {
  const Delegate& asked = foreign.delegate;
  const SiteName aim = aim_of(asked);
  // `never_servable` must hold for this site and everything behind it: a relay-only site may still lead to a large
  // cluster.
  if (reason == RejectReason::never_servable && aim.empty())
    for (std::size_t n = 0; n < s.parts.neighbours.size(); ++n)
      if (n != foreign.from &&
          s.parts.feasibility.beyond(n, foreign.need(), asked.dttl, asked.request.length).possible)
        reason = RejectReason::no_capacity;
  s.effects.log(Level::info, "reject", asked.request.id,
                {{"to", s.parts.neighbours[foreign.from].site.text}, {"reason", std::string(to_text(reason))}});
  const RejectReason own = exact(s.parts, s.now, foreign, reason);
  Reject answer{asked.request.id,     asked.part,         asked.round,
                whole_reason(reason), foreign.tries_left, foreign.answers};
  const bool is_of_other = !aim.empty() && aim != s.parts.settings.name && reason != RejectReason::link_down &&
                           reason != RejectReason::limit_reached;
  if (answer.asked.size() < answers_max && !is_of_other)
    answer.asked.push_back(
        {s.parts.settings.name, own, Lending::most_of(s.parts.lending_site(), foreign.from, own)});
  s.parts.transit.answered(foreign.from);
  send(s, foreign.from, std::move(answer), asked.request.id);
}

RejectReason exact(const SiteParts& parts, Instant now, const Foreign& foreign, RejectReason reason) {
  const bool is_end = reason == RejectReason::dttl_exhausted || reason == RejectReason::tries_exhausted;
  const bool is_of_size =
      foreign.reason == RejectReason::no_capacity || foreign.reason == RejectReason::never_servable;
  if (is_end && !is_of_size) reason = foreign.reason;
  if (reason == RejectReason::not_lending && Lending::is_drained_for(parts.lending_site(), foreign))
    return RejectReason::drained;
  if (reason == RejectReason::not_lending)
    return parts.lending.keeps_off(now, foreign) ? RejectReason::kept_off : reason;
  const bool is_of_nodes = reason == RejectReason::no_capacity || reason == RejectReason::never_servable ||
                           reason == RejectReason::dttl_exhausted || reason == RejectReason::tries_exhausted;
  const bool never_here = foreign.reason == RejectReason::never_servable;
  if (!is_of_nodes || (!never_here && parts.owned.all_up())) return reason;
  const RejectReason clause =
      clause_of(foreign.need(), parts.settings.name, parts.owned, parts.placer, parts.drains.has_self()).reason;
  return clause == RejectReason::no_capacity ? reason : clause;
}

void on(SiteStep& s, FromSite from, Reject& answer) {
  const std::size_t n = from.neighbour;
  s.parts.targets.heard_reject(n);
  LocalRequest* own = s.parts.queue.find(answer.request);
  if (own && answer.part > 0) return part_rejected(s, n, answer);
  const bool is_own =
      own && own->search == LocalRequest::Search::out && own->target == n && own->round == answer.round;
  std::optional<Foreign> foreign = own ? std::nullopt : s.parts.transit.rejected(n, answer);
  if (!is_own && !foreign) return s.parts.ignore("late_answer");  // of an earlier round, or withdrawn meanwhile
  s.parts.targets.answered(n);
  const bool is_full = answer.reason == RejectReason::no_capacity || answer.reason == RejectReason::not_lending ||
                       answer.reason == RejectReason::not_in_turn;
  if (is_full && answer.part == 0) s.parts.targets.full(n);  // a part says nothing of what else is beyond
  if (foreign) return on_no_answer(s, std::move(*foreign), answer.reason);
  s.parts.targets.back(n, own->kind->widest);
  own->tries_left = tries_after(answer, own->tries_left);
  note_answers(own->answers, answer.asked);
  s.parts.queue.set_search(*own, LocalRequest::Search::ready);
  on_answer(s, *own, answer.reason);
}

void on_no_answer(SiteStep& s, Foreign foreign, RejectReason reason) {
  note_back(s.parts, foreign);
  const PartKey key = foreign.key();
  const Neighbour& neighbour = s.parts.neighbours[foreign.target];
  s.effects.log(Level::info, "rejected", key.request,
                {{"by", neighbour.site.text}, {"reason", std::string(to_text(reason))}});
  if (reason == RejectReason::no_answer) s.parts.targets.silent(s.now, foreign.target);
  if (reason == RejectReason::no_answer || reason == RejectReason::link_down) {
    if (foreign.answers.size() < answers_max) foreign.answers.push_back({neighbour.site, reason});
    send(s, foreign.target, Withdraw{key.request, key.part, key.round}, key.request);
  }
  if (aim_of(foreign.delegate).empty()) return pass_on(s, std::move(foreign));
  reject(s, foreign, reason == RejectReason::no_answer ? RejectReason::link_down : reason);
}

void on(SiteStep& s, FromSite from, Withdraw& message) {
  const std::optional<Foreign> foreign = s.parts.transit.withdrawn(from.neighbour, message);
  if (!foreign) return;  // it waited here, or was granted or rejected already
  note_back(s.parts, *foreign);
  send(s, foreign->target, message, message.request);
}

}  // namespace dmm::site_steps
