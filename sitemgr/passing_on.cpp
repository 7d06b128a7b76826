// Delegations at the sites that aren't their home: taken, passed on, answered (Iosup et al. 2007, section 4.3;
// docs/protocol.md section 6). What a neighbour says is believed only as far as it can be checked.
#include <algorithm>

#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/answers.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// Nobody waits longer for an answer, whatever is said.
constexpr Duration answer_within_max = seconds(1'800);

PartKey key_of(const Delegate& delegate) { return {delegate.request.id, delegate.part, delegate.round}; }

/// What is left of a search budget after an answer. Each site that was asked is named, so no more was spent of it than
/// there are names.
std::uint32_t tries_after(const Reject& answer, std::uint32_t before) {
  const auto spent = static_cast<std::uint32_t>(std::min<std::size_t>(answer.asked.size(), before));
  return std::clamp(answer.tries_left, before - spent, before);
}

/// Whether the chain begins at home, ends at the sender, and goes nowhere twice.
bool is_chain(const SiteNames& chain, const SiteName& home, const SiteName& sender) {
  return leads(chain, home, sender, dttl_max) &&
         std::ranges::all_of(chain, [](const SiteName& site) { return is_name(std::string_view(site.text)); });
}

}  // namespace

// ---- taking --------------------------------------------------------------------------------------------------------

std::optional<RejectReason> SiteManager::fault_of(std::size_t from, const Delegate& delegate) const {
  const RequestId& id = delegate.request.id;
  if (id.empty() || !is_name(std::string_view(id.user)) || !dmm::fault_of(delegate.request.need).empty() ||
      delegate.dttl > dttl_max || !is_chain(delegate.chain, id.site, neighbours_[from].site))
    return RejectReason::malformed;
  const bool in_chain =
      std::find(delegate.chain.begin(), delegate.chain.end(), settings_.name) != delegate.chain.end();
  if (in_chain && !DMM_PLANT(chain_ignored)) return RejectReason::in_chain;
  const std::size_t others = neighbours_[from].taken - 1;
  if (others >= settings_.delegations_per_link_max) return RejectReason::limit_reached;
  return std::nullopt;
}

void SiteManager::on(Step& s, FromSite from, Delegate& delegate) {
  Neighbour& neighbour = neighbours_[from.neighbour];
  ++neighbour.delegations_received;
  ++neighbour.taken;
  neighbour.turn_rests_until = Instant{};  // it asks
  delegate.answer_within = std::clamp(delegate.answer_within, Duration{}, answer_within_max);
  delegate.round_trip = std::clamp(delegate.round_trip, Duration{}, round_trip_max);
  delegate.request.length = std::max(delegate.request.length, Duration{});
  Foreign foreign;
  foreign.from = from.neighbour;
  foreign.tries_left = std::min(delegate.tries_left, settings_.tries_per_round);
  const auto fault = fault_of(from.neighbour, delegate);
  foreign.delegate = std::move(delegate);
  if (fault) {
    if (*fault == RejectReason::malformed) refuse(from.neighbour, "delegate");
    return reject(s, foreign, *fault);
  }
  const Delegate& asked = foreign.delegate;
  const PartKey key = key_of(asked);
  const bool from_home = asked.chain.size() == 1;
  if (from_home) make_way_for(s, key, from.neighbour);
  if (passed_.contains(key) || !seen_.is_new(s.now, from.neighbour, key, asked.stay, asked.dttl, from_home))
    return reject(s, foreign, RejectReason::already_seen);
  foreign.asked.assign(neighbours_.size(), false);
  foreign.asked[from.neighbour] = true;
  foreign_[from.neighbour].push_back(std::move(foreign));
  ++foreign_waiting_;
}

/// A home site names a request of its own that somebody else named before and that we passed on for them: its own word
/// counts.
void SiteManager::make_way_for(Step& s, const PartKey& key, std::size_t from) {
  const auto at = passed_.find(key);
  if (at == passed_.end() || at->second.from == from) return;
  const Foreign other = take_passed(at);
  send(s, other.target, Withdraw{key.request, key.part, key.round}, key.request);
  reject(s, other, RejectReason::already_seen);
}

// ---- passing on ----------------------------------------------------------------------------------------------------

void SiteManager::pass_on(Step& s, Foreign foreign) {
  const Delegate& asked = foreign.delegate;
  const RequestId id = asked.request.id;
  // A borrower that may not have it at all isn't told that there is too little.
  const bool by_limit = foreign.reason == RejectReason::limit_reached || foreign.reason == RejectReason::too_long;
  if (asked.dttl == 0) return reject(s, foreign, by_limit ? foreign.reason : RejectReason::dttl_exhausted);
  if (foreign.tries_left == 0) return reject(s, foreign, by_limit ? foreign.reason : RejectReason::tries_exhausted);
  const PartKey key = key_of(asked);
  // Two copies that came on different ways may have waited for the same cycle.
  if (passed_.contains(key)) return reject(s, foreign, RejectReason::already_seen);
  const ResourceNeed& need = asked.request.need;
  const SearchQuery query{key, &need, widest_component(need), asked.dttl, asked.request.length, &foreign.asked,
                          &asked.chain};
  std::size_t target = 0;
  if (choose(s.now, query, target) != Choice::found) return reject(s, foreign, foreign.reason);
  foreign.asked.resize(neighbours_.size());
  foreign.asked[target] = true;
  foreign.target = target;
  --foreign.tries_left;
  targets_.sent(target, query.widest);
  const Duration within = asked.answer_within * 9 / 10;  // each hop waits less than the one before it
  foreign.answer_by = s.now + within;
  passed_due_.set(key, foreign.answer_by);
  Delegate next = asked;
  next.dttl = DMM_PLANT(dttl_not_counted) ? asked.dttl : asked.dttl - 1;
  next.tries_left = foreign.tries_left;
  next.answer_within = within;
  next.round_trip += neighbours_[target].round_trip;
  next.chain.push_back(settings_.name);
  s.out.log(Level::info, "delegate", id,
            {{"to", neighbours_[target].site.text},
             {"dttl", std::int64_t{next.dttl}},
             {"round", std::int64_t{next.round}},
             {"tries_left", std::int64_t{next.tries_left}}});
  passed_[key] = std::move(foreign);
  send(s, target, std::move(next), id);
}

/// It is passed on no longer, nor waits for anything.
SiteManager::Foreign SiteManager::take_passed(std::map<PartKey, Foreign>::iterator at) {
  Foreign foreign = std::move(at->second);
  passed_due_.set(at->first, never);
  passed_.erase(at);
  targets_.back(foreign.target, widest_component(foreign.delegate.request.need));
  search_dirty_ = true;
  return foreign;
}

void SiteManager::reject(Step& s, const Foreign& foreign, RejectReason reason) {
  const Delegate& asked = foreign.delegate;
  // Never servable is a word for this site and all beyond it: a site that only relays may lead to large clusters.
  if (reason == RejectReason::never_servable)
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      if (n != foreign.from && feasibility_.beyond(n, asked.request.need, asked.dttl, asked.request.length).possible)
        reason = RejectReason::no_capacity;
  s.out.log(Level::info, "reject", asked.request.id,
            {{"to", neighbours_[foreign.from].site.text}, {"reason", std::string(to_text(reason))}});
  Reject answer{asked.request.id, asked.part, asked.round, reason, foreign.tries_left, foreign.answers};
  if (answer.asked.size() < answers_max) answer.asked.push_back({settings_.name, exact(s.now, foreign, reason)});
  --neighbours_[foreign.from].taken;
  send(s, foreign.from, std::move(answer), asked.request.id);
}

// ---- answers -------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, FromSite from, Reject& answer) {
  const bool full = answer.reason == RejectReason::no_capacity || answer.reason == RejectReason::not_lending ||
                    answer.reason == RejectReason::not_in_turn;
  targets_.heard_reject(from.neighbour);
  if (LocalRequest* request = queue_.find(answer.request)) {
    if (request->search != LocalRequest::Search::out || request->target != from.neighbour ||
        request->round != answer.round)
      return ignore("late_answer");  // of an earlier round, or withdrawn meanwhile
    targets_.answered(from.neighbour);
    if (full) targets_.full(from.neighbour);
    targets_.back(from.neighbour, request->kind->widest);
    request->tries_left = tries_after(answer, request->tries_left);
    note_answers(request->answers, answer.asked);
    queue_.set_search(*request, LocalRequest::Search::ready);
    on_answer(s, *request, answer.reason);
    return;
  }
  const PartKey key{answer.request, answer.part, answer.round};
  const auto it = passed_.find(key);
  if (it == passed_.end() || it->second.target != from.neighbour) return ignore("late_answer");
  targets_.answered(from.neighbour);
  if (full) targets_.full(from.neighbour);
  Foreign& foreign = it->second;
  foreign.tries_left = tries_after(answer, foreign.tries_left);
  note_answers(foreign.answers, answer.asked);
  on_no_answer(s, key, answer.reason);
}

void SiteManager::on_no_answer(Step& s, const PartKey& key, RejectReason reason) {
  Foreign foreign = take_passed(passed_.find(key));
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
  const PartKey key{message.request, message.part, message.round};
  const auto same = [&](const Foreign& foreign) {
    return foreign.from == from.neighbour && key_of(foreign.delegate) == key;
  };
  const std::size_t waiting = std::erase_if(foreign_[from.neighbour], same);
  foreign_waiting_ -= waiting;
  neighbours_[from.neighbour].taken -= waiting + std::erase_if(unserved_, same);
  const auto it = passed_.find(key);
  if (it == passed_.end() || it->second.from != from.neighbour) return;  // granted or rejected already
  const Foreign foreign = take_passed(it);
  --neighbours_[from.neighbour].taken;
  send(s, foreign.target, message, key.request);
}

}  // namespace dmm
