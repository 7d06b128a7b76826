// What this site knows of each neighbour: its link, and its latest hint. A
// neighbour keeps its place in the list for as long as the site manager runs, also if it is configured no longer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/hints.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

struct Neighbour {
  SiteName site;
  Relation relation = Relation::sibling;
  NeighbourLimits limits;
  bool removed = false;  ///< configured no longer
  bool up = false;
  Instant changed{};    ///< when it last came up or went down
  Duration round_trip;  ///< over the link, as measured of late

  bool known = false;  ///< has ever sent a hint
  CapacityHint hint;   ///< its latest, set by `hear` and `set_up`; lendable counts as 0 while it is down

  bool stands = false;   ///< its Beats vouch for what we borrow of it,
  Duration stale_after;  ///< and none is older than this when we rely on it

  std::map<std::string_view, std::uint64_t> refused;  ///< what it said that was refused, cut short or not believed
};

class Neighbours {
 public:
  explicit Neighbours(const std::vector<NeighbourSettings>& settings);
  /// One more; or one that was removed before, again. Its place.
  std::size_t add(const NeighbourSettings& settings);
  /// It is a neighbour no longer; its place stays.
  void remove(std::size_t index);

  std::size_t size() const { return list_.size(); }
  Neighbour& operator[](std::size_t index) { return list_[index]; }
  const Neighbour& operator[](std::size_t index) const { return list_[index]; }
  /// Configured ones only.
  std::optional<std::size_t> find(const SiteName& site) const;
  std::size_t configured() const;

  void set_up(std::size_t index, Instant now, bool up);
  /// A hint came; whether it says anything new.
  bool hear(std::size_t index, CapacityHint hint);
  /// The hint for one neighbour, from our own entry for it and the latest of all others (split horizon): entry d is
  /// made of their entries d-1. `distances` entries; valid until the next call.
  const CapacityHint& hint_for(std::size_t index, const HintEntry& own, std::size_t distances);
  /// Grows whenever a neighbour's hint or link has changed. Never 0.
  std::uint64_t revision() const { return revision_; }
  /// What the users beyond a neighbour wait for, as it told: processors, and how many the first of them needs in one
  /// cluster.
  static std::pair<std::uint32_t, std::uint32_t> demand_of(const CapacityHint& hint);
  /// The longest way from here and back to a site within this many hops, over any neighbour.
  Duration round_trip_within(std::uint32_t dttl) const;
  /// The neighbours that can be reached.
  std::vector<std::size_t> up() const;

 private:
  /// The greatest of the neighbours' values of one distance, and the greatest of all but the first with that.
  struct Greatest {
    std::uint32_t most = 0, second = 0;
    std::size_t most_index = SIZE_MAX, second_index = SIZE_MAX;
    /// Each neighbour is seen once.
    void see(std::size_t index, std::uint32_t value) {
      if (value <= second && second_index != SIZE_MAX) return;  // most neighbours are like others
      if (most_index == SIZE_MAX || value > most) {
        second = most, second_index = most_index;
        most = value, most_index = index;
      } else {
        second = value, second_index = index;
      }
    }
    std::uint32_t without(std::size_t index) const { return index == most_index ? second : most; }
    std::size_t index_without(std::size_t index) const { return index == most_index ? second_index : most_index; }
  };
  /// What the neighbours' entries of one distance come to.
  struct Beyond {
    Greatest lendable, largest, queued, round_trip;
    std::size_t incomplete = 0;  ///< how many of them leave sites out
  };
  static const HintEntry& entry_of(const Neighbour& neighbour, std::size_t distance);
  std::size_t alike_from(std::size_t distances) const;
  void sum_up(std::size_t distances);

  std::vector<Neighbour> list_;
  std::vector<Beyond>
      beyond_;  ///< by distance, of the revision `summed_up_`; the last one is of all farther ones too
  std::uint64_t revision_ = 1, summed_up_ = 0;
  std::size_t summed_distances_ = 0;  ///< for this many entries of a hint
  CapacityHint hint_;                 ///< scratch
};

/// A round trip as hints tell it, in milliseconds: 0 if it is too short to matter to any time limit, and coarse above.
std::uint32_t told_round_trip(Duration round_trip);

}  // namespace dmm
