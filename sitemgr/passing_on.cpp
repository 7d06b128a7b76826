// Delegations at the sites that aren't their home: what Transit takes is served (lending.cpp), passed on to a neighbour
// (Targets), or rejected; answers go back the way that the delegation came (docs/protocol.md section 6).
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/answers.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

void SiteManager::on(Step& s, FromSite from, Delegate& delegate) {
  const std::size_t n = from.neighbour;
  lending_.asks(n);
  Transit::Taken taken = transit_.take(s.now, n, neighbours_[n].site, std::move(delegate), settings_);
  if (taken.displaced) {
    withdraw_passed(s, *taken.displaced);
    reject(s, *taken.displaced, RejectReason::already_seen);
  }
  if (!taken.refused) return;
  if (taken.reason == RejectReason::malformed) refuse(n, "delegate");
  reject(s, *taken.refused, taken.reason);
}

// ---- passing on ----------------------------------------------------------------------------------------------------

void SiteManager::pass_on(Step& s, Foreign foreign) {
  const Delegate& asked = foreign.delegate;
  // A borrower that may not have it at all isn't told that there is too little.
  const bool by_limit = foreign.reason == RejectReason::limit_reached || foreign.reason == RejectReason::too_long;
  if (asked.dttl == 0) return reject(s, foreign, by_limit ? foreign.reason : RejectReason::dttl_exhausted);
  if (foreign.tries_left == 0) return reject(s, foreign, by_limit ? foreign.reason : RejectReason::tries_exhausted);
  // Two copies that came on different ways may have waited for the same cycle.
  if (transit_.is_passed_on(foreign.key())) return reject(s, foreign, RejectReason::already_seen);
  const ResourceNeed& need = foreign.need();
  const SearchQuery query{foreign.key(), &need, widest_component(need), asked.dttl, asked.request.length,
                          &foreign.asked, &asked.chain};
  std::size_t target = 0;
  if (targets_.choose(s.now, query, site(), feasibility_, target) != Choice::found) return reject(s, foreign, foreign.reason);
  targets_.sent(target, query.widest);
  const Duration round_trip = neighbours_[target].round_trip;
  Delegate next =
      transit_.pass_on(s.now, std::move(foreign), target, round_trip, settings_.name, neighbours_.size());
  const RequestId id = next.request.id;
  s.out.log(Level::info, "delegate", id,
            {{"to", neighbours_[target].site.text},
             {"dttl", std::int64_t{next.dttl}},
             {"round", std::int64_t{next.round}},
             {"tries_left", std::int64_t{next.tries_left}}});
  send(s, target, std::move(next), id);
}

/// A delegation is out at its target no longer.
void SiteManager::note_back(const Foreign& foreign) {
  targets_.back(foreign.target, widest_component(foreign.need()));
  search_.changed();
}

void SiteManager::withdraw_passed(Step& s, const Foreign& foreign) {
  note_back(foreign);
  const PartKey key = foreign.key();
  send(s, foreign.target, Withdraw{key.request, key.part, key.round}, key.request);
}

// ---- answers -------------------------------------------------------------------------------------------------------

void SiteManager::reject(Step& s, const Foreign& foreign, RejectReason reason) {
  const Delegate& asked = foreign.delegate;
  // `never_servable` must hold for this site and everything behind it: a relay-only site may still lead to a large
  // cluster.
  if (reason == RejectReason::never_servable)
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      if (n != foreign.from && feasibility_.beyond(n, foreign.need(), asked.dttl, asked.request.length).possible)
        reason = RejectReason::no_capacity;
  s.out.log(Level::info, "reject", asked.request.id,
            {{"to", neighbours_[foreign.from].site.text}, {"reason", std::string(to_text(reason))}});
  Reject answer{asked.request.id, asked.part, asked.round, reason, foreign.tries_left, foreign.answers};
  if (answer.asked.size() < answers_max) answer.asked.push_back({settings_.name, exact(s.now, foreign, reason)});
  transit_.answered(foreign.from);
  send(s, foreign.from, std::move(answer), asked.request.id);
}

/// What this site says of itself in a Reject, more exactly than by the reason of the whole.
RejectReason SiteManager::exact(Instant now, const Foreign& foreign, RejectReason reason) const {
  const bool is_end = reason == RejectReason::dttl_exhausted || reason == RejectReason::tries_exhausted;
  const bool is_of_size = foreign.reason == RejectReason::no_capacity || foreign.reason == RejectReason::never_servable;
  if (is_end && !is_of_size) reason = foreign.reason;
  if (reason == RejectReason::not_lending && lending_.is_drained_for(lending_site(), foreign))
    return RejectReason::drained;
  if (reason == RejectReason::not_lending) return lending_.keeps_off(now, foreign) ? RejectReason::kept_off : reason;
  const bool is_of_nodes = reason == RejectReason::no_capacity || reason == RejectReason::never_servable ||
                           reason == RejectReason::dttl_exhausted || reason == RejectReason::tries_exhausted;
  const bool never_here = foreign.reason == RejectReason::never_servable;
  if (!is_of_nodes || (!never_here && owned_.all_up())) return reason;
  const RejectReason clause = clause_of(foreign.need(), settings_.name, owned_, placer_, lending_.drained_here()).reason;
  return clause == RejectReason::no_capacity ? reason : clause;
}

void SiteManager::on(Step& s, FromSite from, Reject& answer) {
  const std::size_t n = from.neighbour;
  targets_.heard_reject(n);
  LocalRequest* own = queue_.find(answer.request);
  const bool is_own = own && own->search == LocalRequest::Search::out && own->target == n && own->round == answer.round;
  std::optional<Foreign> foreign = own ? std::nullopt : transit_.rejected(n, answer);
  if (!is_own && !foreign) return ignore("late_answer");  // of an earlier round, or withdrawn meanwhile
  targets_.answered(n);
  if (answer.reason == RejectReason::no_capacity || answer.reason == RejectReason::not_lending ||
      answer.reason == RejectReason::not_in_turn)
    targets_.full(n);
  if (foreign) return on_no_answer(s, std::move(*foreign), answer.reason);
  targets_.back(n, own->kind->widest);
  own->tries_left = tries_after(answer, own->tries_left);
  note_answers(own->answers, answer.asked);
  queue_.set_search(*own, LocalRequest::Search::ready);
  on_answer(s, *own, answer.reason);
}

/// The target of a delegation didn't grant it: it is passed on to another, or rejected.
void SiteManager::on_no_answer(Step& s, Foreign foreign, RejectReason reason) {
  note_back(foreign);
  const PartKey key = foreign.key();
  const Neighbour& neighbour = neighbours_[foreign.target];
  s.out.log(Level::info, "rejected", key.request,
            {{"by", neighbour.site.text}, {"reason", std::string(to_text(reason))}});
  if (reason == RejectReason::no_answer) targets_.silent(s.now, foreign.target);
  if (reason == RejectReason::no_answer || reason == RejectReason::link_down) {
    if (foreign.answers.size() < answers_max) foreign.answers.push_back({neighbour.site, reason});
    send(s, foreign.target, Withdraw{key.request, key.part, key.round}, key.request);
  }
  pass_on(s, std::move(foreign));
}

void SiteManager::on(Step& s, FromSite from, Withdraw& message) {
  const std::optional<Foreign> foreign = transit_.withdrawn(from.neighbour, message);
  if (!foreign) return;  // it waited here, or was granted or rejected already
  note_back(*foreign);
  send(s, foreign->target, message, message.request);
}

}  // namespace dmm
