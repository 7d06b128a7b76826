// Capacity hints: what this site tells its neighbours, and what it makes of theirs (docs/protocol.md section 6).
#include <algorithm>
#include <optional>

#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// What isn't worth a message of its own is told after so many times the interval: a request that it would serve waits.
constexpr std::int64_t small_change_intervals = 10;

}  // namespace

HintEntry SiteManager::own_hint() const {
  HintEntry own;
  own.complete = owned_.all_known();
  if (!settings_.lend || drained_.contains(settings_.name)) return own;
  own.largest = owned_.largest_cluster();
  const std::uint32_t fits = owned_.largest_idle();
  const auto offer = [&](const std::vector<std::uint32_t>& lend) {
    for (const std::uint32_t processors : lend) own.lendable = std::max(own.lendable, std::min(processors, fits));
  };
  if (settings_.owner_first && queue_.demand() > 0)
    offer(lendable(owned_.free_by_cluster(), queue_.demand()));
  else
    offer(owned_.free_by_cluster());
  return own;
}

void SiteManager::on_hint(Step&, std::size_t n, CapacityHint hint) {
  Neighbour& neighbour = neighbours_[n];
  if (hint.size() > settings_.hint_distance) hint.resize(settings_.hint_distance);
  std::uint32_t more = 0;
  for (std::size_t d = 0; d < hint.size(); ++d) {
    const std::uint32_t before = d < neighbour.hint.size() ? neighbour.hint[d].lendable : 0;
    if (hint[d].lendable > before) more = std::max(more, hint[d].lendable);
  }
  if (neighbours_.hear(n, std::move(hint))) hints_dirty_ = true;
  if (!settings_.use_hints) return;
  // One hint wakes, in order of arrival, no more than fits into what it promises.
  std::uint64_t woken = 0, after = 0;
  while (LocalRequest* request = queue_.first_pausing(more, after)) {
    after = request->arrival;
    woken += request->widest;
    if (woken > more) break;
    begin_round(*request);
    queue_.set_search(*request, LocalRequest::Search::ready);
  }
}

void SiteManager::send_hints(Step& s) {
  if (!settings_.use_hints || (!hints_dirty_ && s.now < hints_due_)) return;
  hints_dirty_ = false;
  hints_due_ = never;
  std::optional<HintEntry> own;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up) continue;
    const bool was_told = !neighbour.told.empty();
    const Instant soonest = neighbour.told_at + settings_.hint_interval;
    if (was_told && s.now < soonest) {  // whatever there is to tell
      hints_due_ = std::min(hints_due_, soonest);
      continue;
    }
    if (!own) own = own_hint();
    const CapacityHint& fresh = neighbours_.hint_for(n, *own, settings_.hint_distance);
    if (fresh == neighbour.told) continue;
    const Instant later = neighbour.told_at + settings_.hint_interval * small_change_intervals;
    if (was_told && s.now < later && !Neighbours::worth_telling(neighbour.told, fresh)) {
      hints_due_ = std::min(hints_due_, later);
      continue;
    }
    neighbour.told = fresh;
    neighbour.told_at = s.now;
    s.out.messages.emplace_back(party(n), Beat{}, RequestId{}, fresh);
  }
}

void SiteManager::send(Step& s, std::size_t n, Message message, const RequestId& trace) {
  Neighbour& neighbour = neighbours_[n];
  CapacityHint hint;
  const bool has_news = hints_dirty_ || hints_due_ != never;
  if (settings_.use_hints && has_news && neighbour.up) {
    hint = neighbours_.hint_for(n, own_hint(), settings_.hint_distance);
    if (hint == neighbour.told) {
      hint.clear();
    } else {
      neighbour.told = hint;
      neighbour.told_at = s.now;
    }
  }
  s.out.messages.emplace_back(party(n), std::move(message), trace, std::move(hint));
}

}  // namespace dmm
