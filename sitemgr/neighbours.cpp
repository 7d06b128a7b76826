// Links and hints; see neighbours.hpp.
#include "sitemgr/neighbours.hpp"

#include <algorithm>
#include <bit>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Ways shorter than this needn't be told of: time limits allow for them.
constexpr std::uint32_t round_trip_step_ms = 100;

}  // namespace

std::uint32_t told_round_trip(Duration round_trip) {
  const std::int64_t steps = round_trip.microseconds / 1'000 / round_trip_step_ms;
  if (steps <= 0) return 0;
  return round_trip_step_ms *
         std::bit_ceil(static_cast<std::uint32_t>(std::min<std::int64_t>(steps + 1, 1 << 16)));
}

Neighbours::Neighbours(const std::vector<NeighbourSettings>& settings) {
  for (const NeighbourSettings& one : settings) add(one);
}

std::size_t Neighbours::add(const NeighbourSettings& settings) {
  const auto known = std::ranges::find(list_, settings.site, &Neighbour::site);
  const bool is_new = known == list_.end();
  Neighbour& neighbour = is_new ? list_.emplace_back() : *known;
  neighbour.site = settings.site;
  neighbour.relation = settings.relation;
  neighbour.limits = settings.limits;
  neighbour.removed = false;
  ++revision_;
  const auto index = static_cast<std::size_t>(&neighbour - list_.data());
  DMM_ASSERT(find(settings.site) == index);
  return index;
}

void Neighbours::remove(std::size_t index) {
  DMM_ASSERT(index < list_.size() && !list_[index].removed);
  list_[index].removed = true;
  ++revision_;
  DMM_ASSERT(!find(list_[index].site));  // each site has one place
}

std::optional<std::size_t> Neighbours::find(const SiteName& site) const {
  for (std::size_t i = 0; i < list_.size(); ++i)  // a site has a handful of neighbours
    if (list_[i].site == site && !list_[i].removed) return i;
  return std::nullopt;
}

std::size_t Neighbours::configured() const {
  return static_cast<std::size_t>(std::ranges::count(list_, false, &Neighbour::removed));
}

void Neighbours::set_up(std::size_t index, Instant now, bool up) {
  DMM_ASSERT(index < list_.size());
  Neighbour& neighbour = list_[index];
  DMM_ASSERT(!up || !neighbour.removed);
  neighbour.up = up;
  neighbour.changed = now;
  ++revision_;
  if (up) return;
  neighbour.stands = false;
  // Its next hint is news then, and wakes requests that wait for it; the largest clusters stay known.
  for (HintEntry& entry : neighbour.hint) entry.lendable = entry.queued = entry.width = 0;
}

bool Neighbours::hear(std::size_t index, CapacityHint hint) {
  DMM_ASSERT(index < list_.size());
  Neighbour& neighbour = list_[index];
  DMM_ASSERT(!neighbour.removed);
  neighbour.known = true;
  if (hint == neighbour.hint) return false;
  neighbour.hint = std::move(hint);
  ++revision_;
  return true;
}

/// What a neighbour says of a distance; nothing if it was never heard, or looks less far than we do.
const HintEntry& Neighbours::entry_of(const Neighbour& neighbour, std::size_t distance) {
  static constexpr HintEntry unheard{};
  return distance < neighbour.hint.size() ? neighbour.hint[distance] : unheard;
}

/// From this distance on each neighbour's entries are all the same: a grid ends long before the farthest one. Below
/// `distances`.
std::size_t Neighbours::alike_from(std::size_t distances) const {
  DMM_ASSERT(distances > 0);
  std::size_t from = 0;
  for (const Neighbour& neighbour : list_) {
    if (neighbour.removed) continue;
    std::size_t alike = distances - 1;
    while (alike > from && entry_of(neighbour, alike - 1) == entry_of(neighbour, alike)) --alike;
    from = std::max(from, alike);
  }
  DMM_ASSERT(from < distances);
  return from;
}

void Neighbours::sum_up(std::size_t distances) {
  beyond_.assign(distances == 1 ? 0 : alike_from(distances - 1) + 1, {});
  for (std::size_t index = 0; index < list_.size(); ++index) {
    const Neighbour& neighbour = list_[index];
    if (neighbour.removed) continue;
    const std::uint32_t round_trip = told_round_trip(neighbour.round_trip);
    for (std::size_t d = 0; d < beyond_.size(); ++d) {
      Beyond& beyond = beyond_[d];
      const HintEntry& entry = entry_of(neighbour, d);
      if (neighbour.up) {
        beyond.lendable.see(index, entry.lendable);
        beyond.queued.see(index, entry.queued);
        beyond.round_trip.see(index, entry.round_trip_ms + round_trip);
      }
      beyond.largest.see(index, entry.largest);
      beyond.incomplete += !entry.complete;
    }
  }
  for (const Beyond& beyond : beyond_)
    for (const Greatest* sum : {&beyond.lendable, &beyond.largest, &beyond.queued, &beyond.round_trip})
      DMM_ASSERT(sum->second <= sum->most &&
                 (sum->most_index == SIZE_MAX || sum->most_index != sum->second_index));
  summed_up_ = revision_;
  summed_distances_ = distances;
}

const CapacityHint& Neighbours::hint_for(std::size_t index, const HintEntry& own, std::size_t distances) {
  DMM_ASSERT(index < list_.size() && distances > 0);
  if (summed_up_ != revision_ || summed_distances_ != distances) sum_up(distances);
  DMM_ASSERT(summed_up_ == revision_ && beyond_.size() < distances);
  hint_.resize(distances);
  hint_[0] = own;
  const Neighbour& told = list_[index];
  for (std::size_t d = 0; d < beyond_.size(); ++d) {
    const Beyond& beyond = beyond_[d];
    const std::size_t its = !told.removed && !entry_of(told, d).complete ? 1 : 0;
    DMM_ASSERT(beyond.incomplete >= its);
    const std::size_t others = beyond.incomplete - its;
    const std::size_t waits = beyond.queued.index_without(index);
    const std::uint32_t queued = beyond.queued.without(index);
    DMM_ASSERT(queued == 0 || (waits != index && waits < list_.size() && d < list_[waits].hint.size()));
    hint_[d + 1] = {beyond.lendable.without(index),
                    beyond.largest.without(index),
                    others == 0,
                    queued,
                    queued > 0 ? list_[waits].hint[d].width : 0,
                    beyond.round_trip.without(index)};
  }
  for (std::size_t d = beyond_.size() + 1; d < distances; ++d) hint_[d] = hint_[beyond_.size()];
  return hint_;
}

std::pair<std::uint32_t, std::uint32_t> Neighbours::demand_of(const CapacityHint& hint) {
  std::pair<std::uint32_t, std::uint32_t> demand{0, 0};
  for (const HintEntry& entry : hint)
    if (entry.queued > demand.first) demand = {std::min(entry.queued, processors_max), entry.width};
  DMM_ASSERT(demand.first <= processors_max);
  return demand;
}

Duration Neighbours::round_trip_within(std::uint32_t dttl) const {
  Duration longest;
  for (const Neighbour& neighbour : list_) {
    if (neighbour.removed || !neighbour.up) continue;
    Duration way = neighbour.round_trip;
    for (std::size_t d = 0; d < neighbour.hint.size() && d < dttl; ++d)
      way = std::max(way, neighbour.round_trip + milliseconds(neighbour.hint[d].round_trip_ms));
    longest = std::max(longest, way);
  }
  return std::min(longest, round_trip_max);
}

std::vector<std::size_t> Neighbours::up() const {
  std::vector<std::size_t> up;
  for (std::size_t n = 0; n < list_.size(); ++n)
    if (list_[n].up && !list_[n].removed) up.push_back(n);
  DMM_ASSERT(up.size() <= list_.size());
  return up;
}

}  // namespace dmm
