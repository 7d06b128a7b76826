// The steps of hinting.hpp.
#include "sitemgr/hinting.hpp"

#include <algorithm>
#include <bit>

namespace dmm::site_steps {
namespace {

constexpr auto round_trip_max_ms = static_cast<std::uint32_t>(round_trip_max.microseconds / 1'000);

/// How many processors are waited for, as it is told: coarse, so that not every request is news.
std::uint32_t told_queued(std::uint64_t processors) {
  return processors == 0 ? 0
                         : std::bit_ceil(static_cast<std::uint32_t>(std::min<std::uint64_t>(processors, 1 << 23)));
}

}  // namespace

/// What our users wait for in vain here: what may go to other sites, and what never fits.
static void update_demand(SiteParts& parts);

void update_demand(SiteParts& parts) {
  Demand demand;
  if (parts.settings.delegate) {
    const bool may_go = HomeSearch::may_delegate(parts.queue, parts.search_site());
    demand.queued =
        told_queued(parts.queue.totals().borrowing(false) + (may_go ? parts.queue.totals().borrowing(true) : 0));
    const LocalRequest* first = demand.queued > 0 ? parts.queue.first_borrowing(may_go) : nullptr;
    if (first) demand.width = first->kind->widest;
  }
  parts.hints.set_demand(demand);
}

HintEntry own_hint(SiteParts& parts, Instant now, std::size_t n) {
  HintEntry own;
  own.complete = parts.owned.all_known();
  own.queued = parts.hints.demand().queued;
  own.width = parts.hints.demand().width;
  if (!parts.settings.lend) return own;
  own.largest = std::min(parts.owned.largest_cluster(), parts.neighbours[n].limits.processors_at_most());
  own.lendable = parts.lending.lendable_to(now, parts.lending_site(), n);
  return own;
}

void on_hint(SiteStep& s, std::size_t n, CapacityHint hint) {
  Neighbour& neighbour = s.parts.neighbours[n];
  if (hint.size() > s.parts.settings.hint_distance) hint.resize(s.parts.settings.hint_distance);
  std::uint32_t more = 0;
  for (std::size_t d = 0; d < hint.size(); ++d) {
    hint[d].lendable = std::min(hint[d].lendable, processors_max);
    hint[d].queued = std::min(hint[d].queued, processors_max);
    hint[d].width = std::min(hint[d].width, processors_max);
    hint[d].round_trip_ms = std::min(hint[d].round_trip_ms, round_trip_max_ms);
    const std::uint32_t before = d < neighbour.hint.size() ? neighbour.hint[d].lendable : 0;
    if (hint[d].lendable > before) more = std::max(more, hint[d].lendable);
  }
  s.parts.lending.hear_demand(s.now, n, hint);
  if (more > 0) s.parts.co_allocator.more_is_free(s.now);
  if (!s.parts.neighbours.hear(n, std::move(hint))) return;
  s.parts.board.expect_news(n);
  if (!s.parts.settings.use_hints) return;
  // One hint wakes, in order of arrival, no more than fits into what it promises, and than may be asked for at
  // once.
  std::uint64_t woken = 0, after = 0;
  for (std::uint32_t many = 0; many < s.parts.settings.window_max; ++many) {
    LocalRequest* request = s.parts.queue.first_pausing(more, after);
    if (!request) break;
    after = request->arrival;
    woken += request->kind->widest;
    if (woken > more) break;
    HomeSearch::begin_round(*request, s.parts.settings);
    s.parts.queue.set_search(*request, LocalRequest::Search::ready);
  }
}

void send_hints(SiteStep& s) {
  if (!s.parts.settings.use_hints) return;
  update_demand(s.parts);
  const Duration interval = s.parts.settings.hint_interval;
  if (!s.parts.hints.begin_round(s.now, s.parts.hint_sources(), s.parts.neighbours, interval)) return;
  for (std::size_t n = 0; n < s.parts.neighbours.size(); ++n) {
    if (!s.parts.neighbours[n].up || s.parts.neighbours[n].removed) continue;
    const Instant kept_off_until = s.parts.lending.kept_off_until(s.parts.lending_site(), n);
    auto hint = s.parts.hints.look(s.now, n, own_hint(s.parts, s.now, n), kept_off_until, s.parts.neighbours,
                                   s.parts.settings);
    if (hint) s.effects.messages.emplace_back(s.parts.party(n), Beat{}, RequestId{}, std::move(*hint));
  }
}

}  // namespace dmm::site_steps
