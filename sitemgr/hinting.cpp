// Capacity hints: what this site tells its neighbours, and what it makes of theirs (docs/protocol.md section 6). Big
// news goes at once: nodes for somebody who waits for them, users who begin to wait. Small news travels with other
// messages, or after a long while by itself.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "manager/planted.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// News of farther sites goes on only if it stays true for a while, where others wait too: what is free there is mostly
/// taken at once.
constexpr Duration held_down = milliseconds(500);
/// So much of the largest cluster is worth telling also where nobody waits.
constexpr std::uint32_t much = 8;
/// That nobody waits any more is told after this: the next request may come at once.
constexpr Duration calm = seconds(2);
/// Small news of farther sites alone goes so many times more seldom than that of this site: each goes through the grid.
constexpr std::int64_t farther_seldom = 5;

constexpr auto round_trip_max_ms = static_cast<std::uint32_t>(round_trip_max.microseconds / 1'000);

/// How many processors are waited for, as it is told: coarse, so that not every request is news.
std::uint32_t told_queued(std::uint64_t processors) {
  return processors == 0 ? 0 : std::bit_ceil(static_cast<std::uint32_t>(std::min<std::uint64_t>(processors, 1 << 23)));
}

}  // namespace

/// What our users wait for in vain here: whatever may go to others, and what never fits.
void SiteManager::update_demand() {
  Demand demand;
  if (settings_.delegate) {
    const bool may_go = may_delegate();
    demand.queued = told_queued(queue_.borrowing(false) + (may_go ? queue_.borrowing(true) : 0));
    const LocalRequest* first = demand.queued > 0 ? queue_.first_borrowing(may_go) : nullptr;
    if (first) demand.width = first->kind->widest;
  }
  hints_dirty_ |= std::exchange(demand_, demand) != demand;
}

/// What this site tells one neighbour of itself.
HintEntry SiteManager::own_hint(Instant now, std::size_t n) {
  HintEntry own;
  own.complete = owned_.all_known();
  own.queued = demand_.queued;
  own.width = demand_.width;
  if (!settings_.lend) return own;
  own.largest = std::min(owned_.largest_cluster(), neighbours_[n].limits.processors_at_most());
  const bool is_drained = lending_.drained_here() || lending_.drained().contains(neighbours_[n].site);
  if (is_drained || now < lending_.kept_off_until(lending_site(), n)) return own;
  own.lendable = lending_.lendable_to(now, lending_site(), n);
  return own;
}

void SiteManager::on_hint(Step& s, std::size_t n, CapacityHint hint) {
  Neighbour& neighbour = neighbours_[n];
  if (hint.size() > settings_.hint_distance) hint.resize(settings_.hint_distance);
  std::uint32_t more = 0;
  for (std::size_t d = 0; d < hint.size(); ++d) {
    hint[d].lendable = std::min(hint[d].lendable, processors_max);
    hint[d].queued = std::min(hint[d].queued, processors_max);
    hint[d].width = std::min(hint[d].width, processors_max);
    hint[d].round_trip_ms = std::min(hint[d].round_trip_ms, round_trip_max_ms);
    const std::uint32_t before = d < neighbour.hint.size() ? neighbour.hint[d].lendable : 0;
    if (hint[d].lendable > before) more = std::max(more, hint[d].lendable);
  }
  lending_.hear_demand(s.now, n, hint);
  if (!neighbours_.hear(n, std::move(hint))) return;
  hints_dirty_ = search_dirty_ = true;
  if (!settings_.use_hints) return;
  // One hint wakes, in order of arrival, no more than fits into what it promises, and than may be asked for at once.
  std::uint64_t woken = 0, after = 0;
  for (std::uint32_t many = 0; many < settings_.window_max; ++many) {
    LocalRequest* request = queue_.first_pausing(more, after);
    if (!request) break;
    after = request->arrival;
    woken += request->kind->widest;
    if (woken > more) break;
    begin_round(*request);
    queue_.set_search(*request, LocalRequest::Search::ready);
  }
}

/// How long what is new for a neighbour is to stay true before it gets a message of its own; nothing if it can wait for
/// another message. `others_wait`: also nearer to here than this one.
std::optional<Duration> SiteManager::big_news(const Neighbour& neighbour, const CapacityHint& fresh,
                                              bool others_wait) const {
  const CapacityHint& told = neighbour.told;
  if (told.size() != fresh.size()) return Duration{};
  const auto [queued, width] = Neighbours::demand_of(neighbour.hint);
  std::optional<Duration> soonest;
  const auto is_news = [&](Duration after) { soonest = std::min(soonest.value_or(after), after); };
  for (std::size_t d = 0; d < fresh.size(); ++d) {
    const HintEntry &was = told[d], &is = fresh[d];
    const Duration farther = others_wait ? held_down * static_cast<std::int64_t>(d) : Duration{};
    if (was.largest != is.largest || was.complete != is.complete) is_news(farther);
    // Somebody begins to wait, or nobody waits any more.
    if ((was.queued == 0) != (is.queued == 0)) is_news(farther + (is.queued == 0 ? calm : Duration{}));
    // What fits them is of another size.
    if (is.queued > 0 && std::bit_ceil(is.width) != std::bit_ceil(was.width)) is_news(farther + calm);
    // There is room for who waits there, or for many more of them.
    const bool fits_now = was.lendable < width && is.lendable >= width;
    const bool fits_more = was.lendable < queued && is.lendable >= was.lendable * 2 && is.lendable > was.lendable;
    if (queued > 0 && (fits_now || fits_more)) is_news(farther);
    // Or much more than there was, for whoever begins to wait.
    const std::uint32_t more = is.lendable > was.lendable ? is.lendable - was.lendable : 0;
    if (more > 0 && more >= was.lendable && more >= is.largest / much) is_news(farther);
  }
  return soonest;
}

/// When a neighbour is to be told what is new; `never` if nothing is.
Instant SiteManager::tell_at(Instant now, Neighbour& neighbour, const CapacityHint& fresh, bool others_wait) const {
  const auto held = neighbour.told == fresh ? std::nullopt : big_news(neighbour, fresh, others_wait);
  if (!held) {
    neighbour.news_since = never;
    if (neighbour.told == fresh) return never;
    const bool of_ours = neighbour.told.front() != fresh.front();
    return neighbour.told_at + settings_.hint_small_interval * (of_ours ? 1 : farther_seldom);
  }
  if (neighbour.news_since == never) neighbour.news_since = now;
  const bool is_first = neighbour.told.empty();
  return is_first ? now : std::max(neighbour.news_since + *held, neighbour.told_at + settings_.hint_interval);
}

void SiteManager::send_hints(Step& s) {
  if (!settings_.use_hints) return;
  update_demand();
  if (!hints_dirty_ && s.now < hints_due_) return;
  // Looked at no more often than they may be sent: a burst of events is one change.
  const Instant soonest = hints_checked_ + settings_.hint_interval;
  if (s.now < soonest && hints_checked_ != Instant{}) {
    hints_due_ = soonest;
    return;
  }
  hints_checked_ = s.now;
  hints_dirty_ = false;
  hints_due_ = never;
  const auto waits = [&](std::size_t n) {
    const Neighbour& neighbour = neighbours_[n];
    return neighbour.up && !neighbour.hint.empty() && neighbour.hint.front().queued > 0;
  };
  std::size_t waiting = 0;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) waiting += waits(n);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || neighbour.removed) continue;
    const HintEntry own = own_hint(s.now, n);
    // Whoever is lent nothing for a while is told when that is over.
    if (const Instant until = lending_.kept_off_until(lending_site(), n); until > s.now && !DMM_PLANT(rest_end_not_told))
      hints_due_ = std::min(hints_due_, until);
    Neighbour::Look& looked = neighbour.looked;
    const bool is_same = looked.revision == neighbours_.revision() && looked.own == own;
    if (is_same && looked.tell_at > s.now) {
      hints_due_ = std::min(hints_due_, looked.tell_at);
      continue;
    }
    const CapacityHint& fresh = neighbours_.hint_for(n, own, settings_.hint_distance);
    const bool others_wait = own.queued > 0 || waiting > waits(n);
    looked = {own, neighbours_.revision(), tell_at(s.now, neighbour, fresh, others_wait)};
    if (looked.tell_at > s.now) {
      hints_due_ = std::min(hints_due_, looked.tell_at);
      continue;
    }
    neighbour.news_since = never;
    neighbour.tell(s.now, fresh);
    s.out.messages.emplace_back(party(n), Beat{}, RequestId{}, fresh);
  }
}

}  // namespace dmm
