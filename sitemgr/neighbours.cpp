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

CapacityHint Neighbours::hint_for(std::size_t index, HintEntry own, std::size_t distances) const {
  CapacityHint hint(distances);
  hint[0] = own;
  for (std::size_t d = 1; d < distances; ++d) {
    HintEntry& entry = hint[d];
    entry.complete = true;
    for (std::size_t other = 0; other < list_.size(); ++other) {
      if (other == index) continue;
      const Neighbour& neighbour = list_[other];
      if (neighbour.hint.size() < d) {
        entry.complete = false;  // never heard, or it looks less far than we do
        continue;
      }
      const HintEntry& beyond = neighbour.hint[d - 1];
      if (neighbour.up) entry.lendable = std::max(entry.lendable, beyond.lendable);
      entry.largest = std::max(entry.largest, beyond.largest);
      entry.complete = entry.complete && beyond.complete;
    }
  }
  return hint;
}

bool Neighbours::worth_telling(const CapacityHint& told, const CapacityHint& fresh) {
  if (told.size() != fresh.size()) return true;
  for (std::size_t d = 0; d < fresh.size(); ++d) {
    const HintEntry &a = told[d], &b = fresh[d];
    if (a.largest != b.largest || a.complete != b.complete) return true;
    if ((a.lendable == 0) != (b.lendable == 0)) return true;
    const std::uint32_t moved = a.lendable > b.lendable ? a.lendable - b.lendable : b.lendable - a.lendable;
    if (moved > 0 && std::uint64_t{moved} * 8 >= std::max(a.lendable, b.lendable)) return true;
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
