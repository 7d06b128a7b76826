// Windows and backoffs of neighbours; see targets.hpp.
#include "sitemgr/targets.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// How long a silent neighbour is left alone: the first time, and at most.
constexpr Duration backoff_first = seconds(10), backoff_last = seconds(300);

/// Doubled for each time before.
Duration pause_after(std::uint32_t times) {
  Duration pause = backoff_first;
  for (std::uint32_t i = 0; i < times && pause < backoff_last; ++i) pause = std::min(pause * 2, backoff_last);
  DMM_ASSERT(backoff_first <= pause && pause <= backoff_last);
  return pause;
}

}  // namespace

Targets::Targets(TargetPolicy policy, std::size_t neighbours, std::uint32_t window_first) : policy_(policy) {
  add_neighbours(neighbours, window_first);
}

void Targets::add_neighbours(std::size_t neighbours, std::uint32_t window_first) {
  DMM_ASSERT(neighbours >= states_.size());
  State fresh;
  fresh.window = window_first;
  states_.resize(neighbours, fresh);
  ++openings_;
}

Choice Targets::choose(Instant now, const SearchQuery& query, const Feasibility::Site& site,
                       const Feasibility& feasibility, std::size_t& target) {
  DMM_ASSERT(query.need && query.asked && states_.size() >= site.neighbours.size());
  const bool use_hints = site.settings.use_hints;
  const bool is_special =
      is_divided(*query.need) || query.length > Duration{} || query.need->constraints != Constraints{};
  const SiteNames* chain = DMM_PLANT(chain_ignored) ? nullptr : query.chain;
  views_.clear();
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) {
    const Neighbour& neighbour = site.neighbours[n];
    const State& state = states_[n];
    if (!neighbour.up || neighbour.removed || state.pressed || now < state.asked_from()) continue;
    if (n < query.asked->size() && (*query.asked)[n]) continue;
    if (chain && std::ranges::find(*chain, neighbour.site) != chain->end()) continue;
    if (use_hints && is_special) {
      const Prospect there = feasibility.beyond(n, *query.need, query.dttl, query.length);
      if (there.complete && !there.possible) continue;
    }
    views_.push_back({n, neighbour.hint, use_hints && neighbour.known, state.debit});
  }
  // The hash names the round: a request doesn't go the same way in each.
  const TargetQuery wanted{query.widest, query.dttl, stable_hash(query.key)};
  if (use_hints) std::erase_if(views_, [&](const TargetView& view) { return !may_fit(wanted, view); });
  if (views_.empty()) return Choice::none;
  order_.clear();
  policy_(wanted, views_, order_);
  DMM_ASSERT(order_.size() == views_.size());
  for (const std::size_t index : order_) {
    DMM_ASSERT(index < views_.size());
    const State& state = states_[views_[index].neighbour];
    if (state.outstanding >= state.window) continue;
    target = views_[index].neighbour;
    DMM_ASSERT(target < site.neighbours.size());
    return Choice::found;
  }
  return Choice::window_full;
}

void Targets::sent(std::size_t n, std::uint32_t processors, Of of) {
  DMM_ASSERT(n < states_.size() && (of == Of::part || states_[n].outstanding < states_[n].window));
  State& state = states_[n];
  ++state.outstanding;
  ++state.delegations_sent;
  state.debit += processors;
}

void Targets::back(std::size_t n, std::uint32_t processors) {
  DMM_ASSERT(n < states_.size());
  State& state = states_[n];
  DMM_ASSERT(state.outstanding > 0 && state.debit >= processors);
  --state.outstanding;
  state.debit -= processors;
  DMM_ASSERT(state.outstanding > 0 || state.debit == 0);
  ++openings_;
}

void Targets::answered(std::size_t n) {
  DMM_ASSERT(n < states_.size());
  State& state = states_[n];
  state.silences = 0;
  if (std::exchange(state.backoff_until, Instant{}) != Instant{}) find_next();
  ++openings_;
}

void Targets::granted(std::size_t n, std::uint32_t window_max) {
  DMM_ASSERT(n < states_.size());
  states_[n].window = std::min(states_[n].window + 1, window_max);
  ++openings_;
}

void Targets::full(std::size_t n) {
  DMM_ASSERT(n < states_.size());
  states_[n].window = std::max(1U, states_[n].window / 2);
}

void Targets::silent(Instant now, std::size_t n) {
  DMM_ASSERT(n < states_.size());
  State& state = states_[n];
  full(n);
  if (state.silences > 0)
    state.backoff_until = now + pause_after(state.silences);  // one answer may be lost on its way
  ++state.silences;
  find_next();
  DMM_ASSERT(state.backoff_until == Instant{} || next_ <= state.backoff_until);
}

void Targets::worthless(Instant now, std::size_t n) {
  DMM_ASSERT(n < states_.size());
  State& state = states_[n];
  full(n);
  state.distrusted_until = now + pause_after(state.worthless++);
  find_next();
  DMM_ASSERT(state.worthless > 0 && next_ <= state.distrusted_until);
}

void Targets::served(std::size_t n) {
  DMM_ASSERT(n < states_.size());
  if (states_[n].worthless == 0) return;
  states_[n].worthless = 0;
  states_[n].distrusted_until = Instant{};
  find_next();
  ++openings_;
}

void Targets::came_up(std::size_t n) { answered(n); }

void Targets::end_backoffs(Instant now) {
  if (now < next_) return;
  const auto end = [&](Instant& until) {
    if (until == Instant{} || now < until) return;
    until = Instant{};
    ++openings_;
  };
  for (State& state : states_) end(state.backoff_until), end(state.distrusted_until);
  find_next();
  DMM_ASSERT(next_ > now);
}

void Targets::find_next() {
  next_ = never;
  for (const State& state : states_)
    for (const Instant until : {state.backoff_until, state.distrusted_until})
      if (until != Instant{}) next_ = std::min(next_, until);
}

}  // namespace dmm
