// Delegations on their way through this site; see transit.hpp.
#include "sitemgr/transit.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/hints.hpp"
#include "protocol/text.hpp"
#include "sitemgr/asked_sites.hpp"

namespace dmm {
namespace {

/// Whether the chain begins at home, ends at the sender, and goes nowhere twice.
bool is_chain(const SiteNames& chain, const SiteName& home, const SiteName& sender) {
  return leads(chain, home, sender, dttl_max) &&
         std::ranges::all_of(chain, [](const SiteName& site) { return is_name(std::string_view(site.text)); });
}

}  // namespace

Transit::Transit(const SiteSettings& settings, std::size_t neighbours)
    : seen_(neighbours, settings.seen_memory, settings.seen_max, settings.seen_counts_dttl),
      waiting_(neighbours),
      open_(neighbours),
      received_(neighbours) {}

void Transit::configure(const SiteSettings& settings) {
  seen_.set_limits(settings.seen_memory, settings.seen_max, settings.seen_counts_dttl);
}

void Transit::add_neighbours(std::size_t neighbours) {
  DMM_ASSERT(neighbours >= waiting_.size());
  seen_.add_neighbours(neighbours);
  waiting_.resize(neighbours);
  open_.resize(neighbours);
  received_.resize(neighbours);
  DMM_ASSERT(waiting_.size() == open_.size() && next_link_ <= waiting_.size());
}

// ---- taking --------------------------------------------------------------------------------------------------------

std::optional<RejectReason> Transit::fault_of(std::size_t n, const SiteName& sender, const Delegate& delegate,
                                              const SiteSettings& settings) const {
  DMM_ASSERT(open_[n] > 0);  // this one
  const RequestId& id = delegate.request.id;
  if (id.empty() || !is_name(std::string_view(id.user)) || !dmm::fault_of(delegate.request.need).empty() ||
      !dmm::fault_of(delegate.request.files).empty() || delegate.dttl > dttl_max ||
      !is_chain(delegate.chain, id.site, sender))
    return RejectReason::malformed;
  const bool in_chain = std::ranges::find(delegate.chain, settings.name) != delegate.chain.end();
  if (in_chain && !DMM_PLANT(chain_ignored)) return RejectReason::in_chain;
  if (open_[n] > settings.delegations_per_link_max) return RejectReason::delegations_limit;
  return std::nullopt;
}

Transit::Taken Transit::take(Instant now, std::size_t n, const SiteName& sender, Delegate delegate,
                             const SiteSettings& settings) {
  DMM_ASSERT(n < open_.size() && waiting_[n].size() <= open_[n]);
  ++received_[n];
  ++open_[n];
  delegate.answer_within = std::clamp(delegate.answer_within, Duration{}, search_within_max);
  delegate.round_trip = std::clamp(delegate.round_trip, Duration{}, round_trip_max);
  delegate.request.length = std::max(delegate.request.length, Duration{});
  Foreign foreign;
  foreign.from = n;
  foreign.taken = now;
  // A part is no search: it goes one way, as far as it must.
  const std::uint32_t tries_max = delegate.part > 0 ? delegate.dttl : settings.tries_per_round;
  foreign.tries_left = std::min(delegate.tries_left, tries_max);
  const auto fault = fault_of(n, sender, delegate, settings);
  foreign.delegate = std::move(delegate);
  if (fault) return {std::nullopt, std::move(foreign), *fault};

  Taken taken;
  const PartKey key = foreign.key();
  const bool from_home = foreign.delegate.chain.size() == 1;
  if (from_home)
    if (const auto other = passed_.find(key); other != passed_.end() && other->second.from != n)
      taken.displaced = take_passed(key);
  DMM_ASSERT(!taken.displaced || open_[taken.displaced->from] > 0);  // that neighbour is to be answered
  const Delegate& asked = foreign.delegate;
  if (passed_.contains(key) || !seen_.is_new(now, n, key, asked.stay, asked.dttl, from_home)) {
    taken.refused = std::move(foreign);
    taken.reason = RejectReason::already_seen;
    return taken;
  }
  foreign.asked.assign(waiting_.size(), false);
  foreign.asked[n] = true;
  waiting_[n].push_back(std::move(foreign));
  ++waiting_count_;
  DMM_ASSERT(waiting_[n].size() <= open_[n] && waiting_[n].size() <= waiting_count_);
  return taken;
}

std::vector<Foreign> Transit::next_round() {
  std::vector<Foreign> round;
  if (waiting_.empty()) return round;
  DMM_ASSERT(next_link_ < waiting_.size());
  for (std::size_t i = 0; waiting_count_ > 0 && i < waiting_.size(); ++i) {
    std::list<Foreign>& waiting = waiting_[(next_link_ + i) % waiting_.size()];
    if (waiting.empty()) continue;
    DMM_ASSERT(waiting.front().from == (next_link_ + i) % waiting_.size());
    round.push_back(std::move(waiting.front()));
    waiting.pop_front();
    --waiting_count_;
  }
  DMM_ASSERT(waiting_count_ == 0 || !round.empty());
  next_link_ = (next_link_ + 1) % waiting_.size();
  return round;
}

void Transit::park(Foreign foreign, Instant until) {
  foreign.answer_by = std::min(foreign.answer_by, until);
  parked_.push_back(std::move(foreign));
}

void Transit::unpark(std::uint64_t freed) {
  if (std::exchange(freed_, freed) == freed) return;
  for (Foreign& foreign : std::exchange(parked_, {})) {
    ++waiting_count_;
    std::list<Foreign>& waiting = waiting_[foreign.from];
    waiting.push_front(std::move(foreign));
  }
}

void Transit::end_parking(Instant now) {
  std::erase_if(parked_, [&](Foreign& foreign) {
    if (foreign.answer_by > now) return false;
    unserved_.push_back(std::move(foreign));
    return true;
  });
}

Instant Transit::next_deadline() const {
  Instant next = due_.next();
  for (const Foreign& foreign : parked_) next = std::min(next, foreign.answer_by);
  return next;
}

// ---- passing on ----------------------------------------------------------------------------------------------------

Delegate Transit::pass_on(Instant now, Foreign foreign, std::size_t target, Duration round_trip, Duration within,
                          const SiteName& self, std::size_t neighbours) {
  DMM_ASSERT(foreign.tries_left > 0 && !passed_.contains(foreign.key()));
  DMM_ASSERT(foreign.delegate.dttl > 0 && neighbours <= waiting_.size());
  DMM_ASSERT(target < neighbours && target != foreign.from);
  foreign.asked.resize(neighbours);
  foreign.asked[target] = true;
  foreign.target = target;
  --foreign.tries_left;
  const Delegate& asked = foreign.delegate;
  foreign.asked_at = now;
  foreign.answer_by = now + within;
  Delegate next = asked;
  next.dttl = DMM_PLANT(dttl_not_counted) ? asked.dttl : asked.dttl - 1;
  next.tries_left = foreign.tries_left;
  next.answer_within = within;
  next.request.waited += now - foreign.taken;
  next.round_trip += round_trip;
  next.chain.push_back(self);
  const PartKey key = foreign.key();
  due_.set(key, foreign.answer_by);
  passed_[key] = std::move(foreign);
  return next;
}

// ---- answers -------------------------------------------------------------------------------------------------------

std::optional<Foreign> Transit::rejected(std::size_t target, Reject& answer) {
  const PartKey key{answer.request, answer.part, answer.round};
  if (!find(key, target)) return std::nullopt;
  Foreign foreign = take_passed(key);
  const std::uint32_t before = foreign.tries_left;
  foreign.tries_left = tries_after(answer, before);
  DMM_ASSERT(foreign.tries_left <= before);
  note_answers(foreign.answers, answer.asked);
  return foreign;
}

const Foreign* Transit::find(const PartKey& key, std::size_t target) const {
  const auto at = passed_.find(key);
  return at == passed_.end() || at->second.target != target ? nullptr : &at->second;
}

Foreign Transit::take_passed(const PartKey& key) {
  const auto at = passed_.find(key);
  DMM_ASSERT(at != passed_.end() && at->second.key() == key);
  Foreign foreign = std::move(at->second);
  due_.set(at->first, never);
  passed_.erase(at);
  return foreign;
}

std::optional<Foreign> Transit::take_overdue(Instant now) {
  PartKey key;
  if (!due_.take(now, key)) return std::nullopt;
  Foreign overdue = take_passed(key);
  DMM_ASSERT(overdue.answer_by <= now);
  return overdue;
}

template <class Is>
std::vector<Foreign> Transit::take_passed_if(Is is_wanted) {
  std::vector<PartKey> keys;
  for (const auto& [key, foreign] : passed_)
    if (is_wanted(foreign)) keys.push_back(key);
  std::vector<Foreign> passed;
  for (const PartKey& key : keys) passed.push_back(take_passed(key));
  return passed;
}

std::vector<Foreign> Transit::take_passed_to(std::size_t target) {
  return take_passed_if([&](const Foreign& foreign) { return foreign.target == target; });
}

std::optional<Foreign> Transit::withdrawn(std::size_t n, const Withdraw& message) {
  const PartKey key{message.request, message.part, message.round};
  const auto same = [&](const Foreign& foreign) { return foreign.from == n && foreign.key() == key; };
  const std::size_t waiting = std::erase_if(waiting_[n], same);
  const std::size_t unserved = std::erase_if(unserved_, same) + std::erase_if(parked_, same);
  DMM_ASSERT(waiting_count_ >= waiting && open_[n] >= waiting + unserved);
  waiting_count_ -= waiting;
  open_[n] -= waiting + unserved;
  DMM_ASSERT(waiting_[n].size() <= open_[n]);
  const auto at = passed_.find(key);
  if (at == passed_.end() || at->second.from != n) return std::nullopt;
  DMM_ASSERT(open_[n] > 0);
  --open_[n];
  return take_passed(key);
}

std::vector<Foreign> Transit::lose(std::size_t n) {
  DMM_ASSERT(n < waiting_.size());
  const auto is_of = [n](const Foreign& foreign) { return foreign.from == n; };
  std::vector<Foreign> passed = take_passed_if(is_of);
  DMM_ASSERT(waiting_count_ >= waiting_[n].size() && open_[n] >= passed.size() + waiting_[n].size());
  waiting_count_ -= std::exchange(waiting_[n], {}).size();
  std::erase_if(unserved_, is_of);
  std::erase_if(parked_, is_of);
  open_[n] = 0;
  return passed;
}

void Transit::answered(std::size_t n) {
  DMM_ASSERT(open_[n] > 0);
  --open_[n];
  DMM_ASSERT(waiting_[n].size() <= open_[n]);
}

void Transit::check_invariants() const {
  std::size_t waiting_all = 0;
  std::vector<std::size_t> open(waiting_.size(), 0);
  for (std::size_t n = 0; n < waiting_.size(); ++n) {
    waiting_all += waiting_[n].size();
    open[n] += waiting_[n].size();
  }
  DMM_ASSERT(waiting_all == waiting_count_);
  for (const auto& [key, foreign] : passed_) {
    DMM_ASSERT(due_.contains(key) || foreign.answer_by == never);
    ++open[foreign.from];
  }
  for (const auto* foreigns : {&unserved_, &parked_})
    for (const Foreign& foreign : *foreigns) ++open[foreign.from];
  DMM_ASSERT(open == open_);
}

}  // namespace dmm
