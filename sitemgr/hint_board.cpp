// What is news, and for how long it can wait; see hint_board.hpp.
#include "sitemgr/hint_board.hpp"

#include <algorithm>
#include <bit>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// For how long news of farther sites must stay true before it goes on, for each hop, where other sites wait too:
/// what is free there is mostly taken at once.
constexpr Duration held_down = milliseconds(500);
/// This fraction of the largest cluster is worth telling also where no user waits.
constexpr std::uint32_t much = 8;
/// That no user waits any more is told after this: the next request may come at once.
constexpr Duration calm = seconds(2);
/// How many times more seldom small news of farther sites alone is told than that of this site: it goes through
/// the grid.
constexpr std::int64_t farther_seldom = 5;

bool users_wait_at(const Neighbour& neighbour) {
  return neighbour.up && !neighbour.hint.empty() && neighbour.hint.front().queued > 0;
}

/// How long what is new for a neighbour is to stay true before it gets a message of its own; nothing if it can wait for
/// another message. `heard`: the neighbour's own hint. `others_wait`: users wait also nearer to here than there.
std::optional<Duration> big_news(const CapacityHint& told, const CapacityHint& heard, const CapacityHint& fresh,
                                 bool others_wait) {
  if (told.size() != fresh.size()) return Duration{};
  const auto [queued, width] = Neighbours::demand_of(heard);
  std::optional<Duration> soonest;
  const auto is_news = [&](Duration after) { soonest = std::min(soonest.value_or(after), after); };
  for (std::size_t d = 0; d < fresh.size(); ++d) {
    const HintEntry &was = told[d], &is = fresh[d];
    if (was == is) continue;
    const Duration farther = others_wait ? held_down * static_cast<std::int64_t>(d) : Duration{};
    if (was.largest != is.largest || was.complete != is.complete) is_news(farther);
    // Users begin to wait, or none waits any more.
    if ((was.queued == 0) != (is.queued == 0)) is_news(farther + (is.queued == 0 ? calm : Duration{}));
    // What fits them is of another size.
    if (is.queued > 0 && std::bit_ceil(is.width) != std::bit_ceil(was.width)) is_news(farther + calm);
    // There is room for users that wait there, or for many more of them.
    const bool fits_now = was.lendable < width && is.lendable >= width;
    const bool fits_more = was.lendable < queued && is.lendable >= was.lendable * 2 && is.lendable > was.lendable;
    if (queued > 0 && (fits_now || fits_more)) is_news(farther);
    // Or much more than there was, for users that begin to wait.
    const std::uint32_t more = is.lendable > was.lendable ? is.lendable - was.lendable : 0;
    if (more > 0 && more >= was.lendable && more >= is.largest / much) is_news(farther);
  }
  DMM_ASSERT(!soonest || *soonest >= Duration{});
  return soonest;
}

}  // namespace

void HintBoard::tell(Instant now, Told& told, const CapacityHint& fresh) {
  DMM_ASSERT(!fresh.empty());
  DMM_ASSERT(told.at <= now);
  told.hint = fresh;
  told.at = now;
  told.looked_revision = 0;
}

CapacityHint HintBoard::take_along(Instant now, std::size_t n, const HintEntry& own, Neighbours& neighbours,
                                   std::size_t distances) {
  DMM_ASSERT(n < told_.size());
  const CapacityHint& fresh = neighbours.hint_for(n, own, distances);
  if (fresh == told_[n].hint) return {};
  tell(now, told_[n], fresh);
  return fresh;
}

bool HintBoard::begin_round(Instant now, const Sources& sources, const Neighbours& neighbours, Duration interval) {
  DMM_ASSERT(told_.size() >= neighbours.size());
  if (now < due_ && !is_changed(sources)) return false;
  const Instant soonest = checked_ + interval;
  if (now < soonest && checked_ != Instant{}) {
    due_ = soonest;
    return false;
  }
  checked_ = now;
  seen_ = Seen{sources, demand_};
  due_ = never;
  waiting_ = 0;
  for (std::size_t n = 0; n < neighbours.size(); ++n) waiting_ += users_wait_at(neighbours[n]);
  DMM_ASSERT(waiting_ <= neighbours.size());
  return true;
}

std::optional<CapacityHint> HintBoard::look(Instant now, std::size_t n, const HintEntry& own,
                                            Instant kept_off_until, Neighbours& neighbours,
                                            const SiteSettings& settings) {
  if (kept_off_until > now && !DMM_PLANT(backoff_end_not_told)) due_ = std::min(due_, kept_off_until);
  DMM_ASSERT(n < told_.size());
  Told& told = told_[n];
  const bool is_same = told.looked_revision == neighbours.revision() && told.looked_own == own;
  if (is_same && told.tell_at > now) {
    due_ = std::min(due_, told.tell_at);
    return std::nullopt;
  }
  const CapacityHint& fresh = neighbours.hint_for(n, own, settings.hint_distance);
  DMM_ASSERT(waiting_ >= users_wait_at(neighbours[n]));
  const bool others_wait = own.queued > 0 || waiting_ > users_wait_at(neighbours[n]);
  told.looked_own = own;
  told.looked_revision = neighbours.revision();
  told.tell_at = tell_at(now, told, neighbours[n].hint, fresh, others_wait, settings);
  if (told.tell_at > now) {
    due_ = std::min(due_, told.tell_at);
    return std::nullopt;
  }
  told.news_since = never;
  tell(now, told, fresh);
  return fresh;
}

/// When a neighbour is to be told what is new; `never` if nothing is.
Instant HintBoard::tell_at(Instant now, Told& told, const CapacityHint& heard, const CapacityHint& fresh,
                           bool others_wait, const SiteSettings& settings) {
  const bool is_told = told.hint == fresh;
  const auto held = is_told ? std::nullopt : big_news(told.hint, heard, fresh, others_wait);
  if (!held) {
    told.news_since = never;
    if (is_told) return never;
    DMM_ASSERT(!told.hint.empty() && told.hint.size() == fresh.size());
    const bool of_ours = told.hint.front() != fresh.front();
    return told.at + settings.hint_small_interval * (of_ours ? 1 : farther_seldom);
  }
  if (told.news_since == never) told.news_since = now;
  const bool is_first = told.hint.empty();
  return is_first ? now : std::max(told.news_since + *held, told.at + settings.hint_interval);
}

}  // namespace dmm
