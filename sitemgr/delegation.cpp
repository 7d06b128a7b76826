// The search for nodes elsewhere: rounds at the home site, passing on at the others, and the answers to both
// (Iosup et al. 2007, sections 4.3 and 4.4; docs/protocol.md section 6).
#include <algorithm>

#include "machine/assert.hpp"
#include "machine/planted.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

using Stage = LocalRequest::Search;

/// How many requests a delegation pass looks at that find all windows full: the rest would find the same.
constexpr int blocked_max = 16;
constexpr std::size_t answers_max = 64;

void note_answers(std::vector<SiteAnswer>& known, std::vector<SiteAnswer>& more) {
  for (SiteAnswer& answer : more)
    if (known.size() < answers_max) known.push_back(std::move(answer));
}

}  // namespace

// ---- at home -------------------------------------------------------------------------------------------------------

void SiteManager::begin_round(LocalRequest& request) {
  ++request.round;
  request.tries_left = settings_.tries_per_round;
  request.asked.assign(neighbours_.size(), false);
  request.answers.clear();
}

void SiteManager::end_round(Step& s, LocalRequest& request) {
  request.pause = request.pause == Duration{} ? settings_.pause_first
                                              : std::min(request.pause * 2, settings_.pause_last);
  // Between 3/4 and 5/4 of it, by the request's own hash: what was rejected together doesn't come back together.
  const auto spread = static_cast<std::int64_t>(stable_hash(PartKey{request.request.id, 0, request.round}) % 512);
  request.resume_at = s.now + request.pause * (768 + spread) / 1024;
  queue_.set_search(request, Stage::pausing);
  s.out.log(Level::debug, "pause", request.request.id,
            {{"round", std::int64_t{request.round}}, {"seconds", (request.resume_at - s.now).in_seconds()}});
}

void SiteManager::run_due(Step& s) {
  while (LocalRequest* request = queue_.due(s.now)) {
    if (request->search == Stage::out) {
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
bool SiteManager::keeps_local(const LocalRequest& request) const {
  return settings_.keep_local && !blocked_ && request.simple && request.widest <= owned_.largest_idle();
}

void SiteManager::delegate_local(Step& s) {
  if (!settings_.delegate) return;
  for (const bool servable : {false, true}) {  // what this site can never serve goes out at any load
    int blocked = 0;
    std::optional<OrderKey> after;
    while (!servable || over(load(), settings_.delegation_threshold)) {
      const auto& ready = queue_.ready(servable);
      const auto next = after ? ready.upper_bound(*after) : ready.begin();
      if (next == ready.end()) break;
      after = next->first;
      LocalRequest& request = *next->second;
      if (servable && keeps_local(request)) continue;
      if (!servable) {
        const RequestId id = request.request.id;
        refuse_if_too_large(s, request);
        if (!queue_.find(id)) continue;
      }
      if (ask_next(s, request) == Choice::window_full && ++blocked > blocked_max) break;
    }
  }
}

SiteManager::Choice SiteManager::choose(const Search& search, std::size_t& target) {
  target_views_.clear();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || (*search.asked)[n]) continue;
    const auto* chain = DMM_PLANT(chain_ignored) ? nullptr : search.chain;
    if (chain && std::find(chain->begin(), chain->end(), neighbour.site) != chain->end()) continue;
    target_views_.push_back({n, neighbour.hint, settings_.use_hints && neighbour.known, neighbour.debit});
  }
  const TargetQuery query{search.widest, search.dttl, stable_hash(search.key)};  // by round: not the same way again
  if (settings_.use_hints)
    std::erase_if(target_views_, [&](const TargetView& view) {
      const bool sees_all = neighbours_[view.neighbour].hint.size() >= search.dttl;
      return sees_all && !may_fit(query, view);
    });
  if (target_views_.empty()) return Choice::nobody;
  target_order_.clear();
  targets_(query, target_views_, target_order_);
  for (const std::size_t index : target_order_) {
    const Neighbour& neighbour = neighbours_[target_views_[index].neighbour];
    if (neighbour.outstanding >= neighbour.window) continue;
    target = target_views_[index].neighbour;
    return Choice::found;
  }
  return Choice::window_full;
}

SiteManager::Choice SiteManager::ask_next(Step& s, LocalRequest& request) {
  const PartKey key{request.request.id, 0, request.round};
  const Search search{key, request.widest, request.request.dttl, &request.asked, nullptr};
  std::size_t target = 0;
  const Choice choice = request.tries_left == 0 ? Choice::nobody : choose(search, target);
  request.window_full = choice == Choice::window_full;
  if (choice == Choice::nobody) end_round(s, request);
  if (choice != Choice::found) return choice;

  request.asked[target] = true;
  request.target = target;
  --request.tries_left;
  ++request.tries;
  neighbours_.hand_over(target, request.widest);
  const Duration cycles = (settings_.matchmaking_cycle + settings_.delegation_cycle) * request.request.dttl;
  const Duration within = settings_.answer_limit + cycles * 2;
  request.answer_by = s.now + within;
  queue_.set_search(request, Stage::out);
  Delegate delegate{request.request, 0, request.round, request.request.dttl - 1, request.tries_left, within,
                    {settings_.name}};
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
  if (request.answers.size() < answers_max && reason >= RejectReason::no_answer)
    request.answers.push_back({neighbours_[request.target].site, reason});
  s.out.log(Level::info, "rejected", request.request.id,
            {{"by", neighbours_[request.target].site.text}, {"reason", std::string(to_text(reason))}});
}

void SiteManager::withdraw(Step& s, LocalRequest& request) {
  DMM_ASSERT(request.search == Stage::out);
  neighbours_.take_back(request.target, request.widest);
  queue_.set_search(request, Stage::ready);
  s.out.log(Level::info, "withdraw", request.request.id, {{"to", neighbours_[request.target].site.text}});
  send(s, request.target, Withdraw{request.request.id, 0, request.round}, request.request.id);
}

void SiteManager::refuse_if_too_large(Step& s, LocalRequest& request) {
  HintEntry reach{0, 0, true};  // of one that stays at home: nothing beyond its own site
  if (request.search != Stage::home) {
    if (!settings_.use_hints) return;
    reach = neighbours_.largest_within(request.request.dttl);
  }
  reach.largest = std::max(reach.largest, owned_.largest_cluster());
  if (request.widest <= reach.largest || !reach.complete || !own_hint().complete) return;
  const RequestId id = request.request.id;
  const std::string text = "needs " + std::to_string(request.widest) + " processors in one cluster";
  s.out.log(Level::info, "refuse", id,
            {{"reason", std::string("too_large")}, {"text", text}, {"largest", std::int64_t{reach.largest}}});
  const Party user = job_manager_of(settings_.name, id.user);
  s.out.send(user, Refuse{id, RefusalReason::too_large, reach.largest, text}, id);
  --job_managers_[user].requests;
  queue_.erase(request);
}

// ---- elsewhere -----------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, std::size_t from, Delegate& delegate) {
  Neighbour& neighbour = neighbours_[from];
  ++neighbour.delegations_received;
  Foreign foreign;
  foreign.from = from;
  foreign.tries_left = delegate.tries_left;
  const PartKey key{delegate.request.id, delegate.part, delegate.round};
  const std::string fault = fault_of(delegate.request.need);
  const bool odd = delegate.request.id.empty() || delegate.chain.empty() || delegate.chain.back() != neighbour.site ||
                   delegate.chain.size() > dttl_max || delegate.dttl > dttl_max;
  const bool in_chain =
      std::find(delegate.chain.begin(), delegate.chain.end(), settings_.name) != delegate.chain.end();
  const std::uint32_t dttl = delegate.dttl;
  const std::size_t waiting = foreign_[from].size() + passed_.size() + unserved_.size();
  foreign.delegate = std::move(delegate);
  if (!fault.empty() || odd) return reject(s, foreign, RejectReason::malformed);
  if (in_chain && !DMM_PLANT(chain_ignored)) return reject(s, foreign, RejectReason::in_chain);
  if (waiting >= settings_.delegations_per_link_max) return reject(s, foreign, RejectReason::limit_reached);
  if (passed_.contains(key) || !seen_.is_new(s.now, from, key, dttl))
    return reject(s, foreign, RejectReason::already_seen);
  foreign.asked.assign(neighbours_.size(), false);
  foreign.asked[from] = true;
  foreign_[from].push_back(std::move(foreign));
  ++foreign_waiting_;
}

void SiteManager::pass_on(Step& s, Foreign foreign) {
  const Delegate& asked = foreign.delegate;
  const RequestId id = asked.request.id;
  if (asked.dttl == 0) return reject(s, foreign, RejectReason::dttl_exhausted);
  if (foreign.tries_left == 0) return reject(s, foreign, RejectReason::tries_exhausted);
  const PartKey key{id, asked.part, asked.round};
  // Two copies that came on different ways may have waited for the same cycle.
  if (passed_.contains(key)) return reject(s, foreign, RejectReason::already_seen);
  const Search search{key, widest_component(asked.request.need), asked.dttl, &foreign.asked, &asked.chain};
  std::size_t target = 0;
  if (choose(search, target) != Choice::found) return reject(s, foreign, foreign.reason);
  foreign.asked[target] = true;
  foreign.target = target;
  --foreign.tries_left;
  neighbours_.hand_over(target, search.widest);
  const Duration within = asked.answer_within * 9 / 10;  // each hop waits less than the one before it
  foreign.answer_by = s.now + within;
  sweep_at(foreign.answer_by);
  Delegate next = asked;
  next.dttl = DMM_PLANT(dttl_not_counted) ? asked.dttl : asked.dttl - 1;
  next.tries_left = foreign.tries_left;
  next.answer_within = within;
  next.chain.push_back(settings_.name);
  s.out.log(Level::info, "delegate", id,
            {{"to", neighbours_[target].site.text},
             {"dttl", std::int64_t{next.dttl}},
             {"round", std::int64_t{next.round}},
             {"tries_left", std::int64_t{next.tries_left}}});
  passed_[key] = std::move(foreign);
  send(s, target, std::move(next), id);
}

void SiteManager::reject(Step& s, const Foreign& foreign, RejectReason reason) {
  const Delegate& asked = foreign.delegate;
  // Never servable is a word for this site and all beyond it: a site that only relays may lead to large clusters.
  const HintEntry beyond = neighbours_.largest_within(asked.dttl);
  if (reason == RejectReason::never_servable && beyond.largest >= widest_component(asked.request.need))
    reason = RejectReason::no_capacity;
  s.out.log(Level::info, "reject", asked.request.id,
            {{"to", neighbours_[foreign.from].site.text}, {"reason", std::string(to_text(reason))}});
  Reject answer{asked.request.id, asked.part, asked.round, reason, foreign.tries_left, foreign.answers};
  if (answer.asked.size() < answers_max) answer.asked.push_back({settings_.name, reason});
  send(s, foreign.from, std::move(answer), asked.request.id);
}

void SiteManager::on(Step& s, std::size_t from, Reject& answer) {
  const bool full = answer.reason == RejectReason::no_capacity || answer.reason == RejectReason::not_lending;
  ++neighbours_[from].rejects_received;
  if (LocalRequest* request = queue_.find(answer.request)) {
    if (request->search != Stage::out || request->target != from || request->round != answer.round) return;
    if (full) neighbours_.on_no_capacity(from);
    neighbours_.take_back(from, request->widest);
    request->tries_left = std::min(request->tries_left, answer.tries_left);
    note_answers(request->answers, answer.asked);
    queue_.set_search(*request, Stage::ready);
    on_answer(s, *request, answer.reason);
    return;
  }
  const PartKey key{answer.request, answer.part, answer.round};
  const auto it = passed_.find(key);
  if (it == passed_.end() || it->second.target != from) return;  // withdrawn meanwhile
  if (full) neighbours_.on_no_capacity(from);
  it->second.tries_left = std::min(it->second.tries_left, answer.tries_left);
  note_answers(it->second.answers, answer.asked);
  on_no_answer(s, key, answer.reason);
}

void SiteManager::on_no_answer(Step& s, const PartKey& key, RejectReason reason) {
  const auto it = passed_.find(key);
  Foreign foreign = std::move(it->second);
  passed_.erase(it);
  const Neighbour& neighbour = neighbours_[foreign.target];
  neighbours_.take_back(foreign.target, widest_component(foreign.delegate.request.need));
  s.out.log(Level::info, "rejected", key.request,
            {{"by", neighbour.site.text}, {"reason", std::string(to_text(reason))}});
  if (reason == RejectReason::no_answer || reason == RejectReason::link_down) {
    if (foreign.answers.size() < answers_max) foreign.answers.push_back({neighbour.site, reason});
    send(s, foreign.target, Withdraw{key.request, key.part, key.round}, key.request);
  }
  pass_on(s, std::move(foreign));
}

void SiteManager::on(Step& s, std::size_t from, Withdraw& message) {
  const PartKey key{message.request, message.part, message.round};
  const auto same = [&](const Foreign& foreign) {
    const Delegate& asked = foreign.delegate;
    return foreign.from == from && asked.request.id == key.request && asked.part == key.part &&
           asked.round == key.round;
  };
  foreign_waiting_ -= std::erase_if(foreign_[from], same);
  std::erase_if(unserved_, same);
  const auto it = passed_.find(key);
  if (it == passed_.end() || it->second.from != from) return;  // granted or rejected already
  neighbours_.take_back(it->second.target, widest_component(it->second.delegate.request.need));
  send(s, it->second.target, message, key.request);
  passed_.erase(it);
}

}  // namespace dmm
