// Hints and windows; see neighbours.hpp.
#include "sitemgr/neighbours.hpp"

#include <algorithm>

namespace dmm {

Neighbours::Neighbours(const std::vector<NeighbourSettings>& settings, std::uint32_t window) {
  for (const NeighbourSettings& one : settings) {
    Neighbour neighbour;
    neighbour.site = one.site;
    neighbour.relation = one.relation;
    neighbour.window = window;
    list_.push_back(std::move(neighbour));
  }
}

std::optional<std::size_t> Neighbours::find(const SiteName& site) const {
  for (std::size_t i = 0; i < list_.size(); ++i)  // a site has a handful of neighbours
    if (list_[i].site == site) return i;
  return std::nullopt;
}

void Neighbours::hand_over(std::size_t index, std::uint32_t processors) {
  Neighbour& neighbour = list_[index];
  ++neighbour.outstanding;
  ++neighbour.delegations_sent;
  neighbour.debit += processors;
}

void Neighbours::take_back(std::size_t index, std::uint32_t processors) {
  Neighbour& neighbour = list_[index];
  --neighbour.outstanding;
  neighbour.debit -= processors;
}

void Neighbours::on_grant(std::size_t index, std::uint32_t window_max) {
  list_[index].window = std::min(list_[index].window + 1, window_max);
}

void Neighbours::on_no_capacity(std::size_t index) { list_[index].window = std::max(1U, list_[index].window / 2); }

void Neighbours::set_up(std::size_t index, Instant now, bool up) {
  Neighbour& neighbour = list_[index];
  neighbour.up = up;
  neighbour.changed = now;
  changed_ = true;
  if (up) return;
  // Its next hint is news then, and wakes who waits for it; the largest clusters stay known.
  for (HintEntry& entry : neighbour.hint) entry.lendable = 0;
}

bool Neighbours::hear(std::size_t index, CapacityHint hint) {
  Neighbour& neighbour = list_[index];
  neighbour.known = true;
  if (hint == neighbour.hint) return false;
  neighbour.hint = std::move(hint);
  return changed_ = true;
}

void Neighbours::Greatest::see(std::size_t index, std::uint32_t value) {
  if (who == SIZE_MAX || value > most) {
    second = most;
    most = value;
    who = index;
  } else {
    second = std::max(second, value);
  }
}

void Neighbours::sum_up(std::size_t distances) {
  beyond_.assign(distances - 1, {});
  for (std::size_t d = 0; d + 1 < distances; ++d) {
    Beyond& beyond = beyond_[d];
    beyond.leaves_out.resize(list_.size());
    for (std::size_t index = 0; index < list_.size(); ++index) {
      const Neighbour& neighbour = list_[index];
      // Never heard, or it looks less far than we do.
      const HintEntry entry = d < neighbour.hint.size() ? neighbour.hint[d] : HintEntry{};
      if (neighbour.up) beyond.lendable.see(index, entry.lendable);
      beyond.largest.see(index, entry.largest);
      beyond.leaves_out[index] = !entry.complete;
      beyond.incomplete += !entry.complete;
    }
  }
  changed_ = false;
}

const CapacityHint& Neighbours::hint_for(std::size_t index, HintEntry own, std::size_t distances) {
  if (changed_ || beyond_.size() + 1 != distances) sum_up(distances);
  hint_.resize(distances);
  hint_[0] = own;
  for (std::size_t d = 0; d + 1 < distances; ++d) {
    const Beyond& beyond = beyond_[d];
    const std::size_t others = beyond.incomplete - (beyond.leaves_out[index] ? 1 : 0);
    hint_[d + 1] = {beyond.lendable.without(index), beyond.largest.without(index), others == 0};
  }
  return hint_;
}

bool Neighbours::worth_telling(const CapacityHint& told, const CapacityHint& fresh) {
  if (told.size() != fresh.size()) return true;
  for (std::size_t d = 0; d < fresh.size(); ++d) {
    const HintEntry &a = told[d], &b = fresh[d];
    if (a.largest != b.largest || a.complete != b.complete) return true;
    if ((a.lendable == 0) != (b.lendable == 0)) return true;
    const std::uint32_t moved = a.lendable > b.lendable ? a.lendable - b.lendable : b.lendable - a.lendable;
    if (moved > 0 && std::uint64_t{moved} * 2 >= std::max(a.lendable, b.lendable)) return true;
  }
  return false;
}

HintEntry Neighbours::largest_within(std::uint32_t dttl) const {
  HintEntry result{0, 0, true};
  if (dttl == 0) return result;
  for (const Neighbour& neighbour : list_) {
    result.complete = result.complete && neighbour.known && neighbour.hint.size() >= dttl;
    for (std::size_t d = 0; d < neighbour.hint.size() && d < dttl; ++d) {
      result.largest = std::max(result.largest, neighbour.hint[d].largest);
      result.complete = result.complete && neighbour.hint[d].complete;
    }
  }
  return result;
}

}  // namespace dmm
