// Capacity hints: what this site tells its neighbours of itself, and what it makes of theirs (hint_board.hpp;
// docs/protocol.md section 6).
#include <algorithm>
#include <bit>

#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

constexpr auto round_trip_max_ms = static_cast<std::uint32_t>(round_trip_max.microseconds / 1'000);

/// How many processors are waited for, as it is told: coarse, so that not every request is news.
std::uint32_t told_queued(std::uint64_t processors) {
  return processors == 0 ? 0 : std::bit_ceil(static_cast<std::uint32_t>(std::min<std::uint64_t>(processors, 1 << 23)));
}

}  // namespace

/// What our users wait for in vain here: what may go to other sites, and what never fits.
void SiteManager::update_demand() {
  Demand demand;
  if (settings_.delegate) {
    const bool may_go = HomeSearch::may_delegate(queue_, search_site());
    demand.queued = told_queued(queue_.borrowing(false) + (may_go ? queue_.borrowing(true) : 0));
    const LocalRequest* first = demand.queued > 0 ? queue_.first_borrowing(may_go) : nullptr;
    if (first) demand.width = first->kind->widest;
  }
  hints_.set_demand(demand);
}

/// What this site tells one neighbour of itself.
HintEntry SiteManager::own_hint(Instant now, std::size_t n) {
  HintEntry own;
  own.complete = owned_.all_known();
  own.queued = hints_.demand().queued;
  own.width = hints_.demand().width;
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
  hints_.changed();
  search_.changed();
  if (!settings_.use_hints) return;
  // One hint wakes, in order of arrival, no more than fits into what it promises, and than may be asked for at once.
  std::uint64_t woken = 0, after = 0;
  for (std::uint32_t many = 0; many < settings_.window_max; ++many) {
    LocalRequest* request = queue_.first_pausing(more, after);
    if (!request) break;
    after = request->arrival;
    woken += request->kind->widest;
    if (woken > more) break;
    HomeSearch::begin_round(*request, settings_);
    queue_.set_search(*request, LocalRequest::Search::ready);
  }
}

void SiteManager::send_hints(Step& s) {
  if (!settings_.use_hints) return;
  update_demand();
  if (!hints_.begin_round(s.now, neighbours_, settings_.hint_interval)) return;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (!neighbours_[n].up || neighbours_[n].removed) continue;
    const Instant kept_off_until = lending_.kept_off_until(lending_site(), n);
    auto hint = hints_.look(s.now, n, own_hint(s.now, n), kept_off_until, neighbours_, settings_);
    if (hint) s.out.messages.emplace_back(party(n), Beat{}, RequestId{}, std::move(*hint));
  }
}

}  // namespace dmm
