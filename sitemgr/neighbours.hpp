// What this site knows of each neighbour: its link, its latest hint, and the window of delegations out to it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/dense.hpp"
#include "machine/lookup.hpp"
#include "protocol/hints.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

struct Neighbour {
  SiteName site;
  Relation relation = Relation::sibling;
  bool up = false;
  Instant changed{};  ///< when it last came up or went down

  bool known = false;       ///< has ever sent a hint
  CapacityHint hint;        ///< its latest, set by `hear` and `set_up`; lendable counts as 0 while it is down
  std::uint32_t debit = 0;  ///< processors of the delegations that are out to it

  std::uint32_t window = 4;       ///< how many delegations may be out to it
  std::uint32_t outstanding = 0;  ///< how many are

  CapacityHint told;       ///< the hint it was last sent
  Instant told_at{};
  bool judging = true;  ///< its Inventory of the present session, or of the first one, has yet to come
  DenseSet<LeaseId> known_leases;     ///< all leases of the link when the session began: what is gone since has ended
  Inventory inventory;                ///< the parts of it that have come
  std::map<LeaseId, Instant> orphans; ///< it holds them through us, but we have yet to hear so from their owner's side
  std::set<LeaseId> adopted;          ///< their owner's side says that it holds them through us; it has yet to say so

  std::optional<Instant> renew_sent;  ///< when the Renew left that wasn't answered yet
  Instant renew_due{};                ///< when the next one leaves

  std::uint64_t delegations_sent = 0, delegations_received = 0, grants_received = 0, rejects_received = 0;
  std::uint64_t lent_processor_microseconds = 0;      ///< of ended leases
  std::uint64_t borrowed_processor_microseconds = 0;  ///< of ended leases
};

class Neighbours {
 public:
  Neighbours(const std::vector<NeighbourSettings>& settings, std::uint32_t window);

  std::size_t size() const { return list_.size(); }
  Neighbour& operator[](std::size_t index) { return list_[index]; }
  const Neighbour& operator[](std::size_t index) const { return list_[index]; }
  std::optional<std::size_t> find(const SiteName& site) const;

  /// A delegation of so many processors goes out to a neighbour.
  void hand_over(std::size_t index, std::uint32_t processors);
  /// It is out no longer: answered, or withdrawn.
  void take_back(std::size_t index, std::uint32_t processors);
  /// A grant opens the window by one, a reject for lack of capacity halves it (docs/protocol.md section 6).
  void on_grant(std::size_t index, std::uint32_t window_max);
  void on_no_capacity(std::size_t index);

  void set_up(std::size_t index, Instant now, bool up);
  /// A hint came; whether it says anything new.
  bool hear(std::size_t index, CapacityHint hint);
  /// The hint for one neighbour, from our own entry and the latest of all others (split horizon): entry d is the
  /// maximum of their entries d-1. `distances` entries; valid until the next call.
  const CapacityHint& hint_for(std::size_t index, HintEntry own, std::size_t distances);
  /// Whether the change from `told` to `fresh` is worth a message of its own soon: an entry leaves or reaches 0,
  /// doubles or halves, or says something new about the largest cluster.
  static bool worth_telling(const CapacityHint& told, const CapacityHint& fresh);
  /// The largest cluster that can be reached in `dttl` hops, and whether everybody there has been heard of.
  HintEntry largest_within(std::uint32_t dttl) const;

 private:
  /// The greatest of the neighbours' entries of one distance, and the greatest of all but the first with that.
  struct Greatest {
    std::uint32_t most = 0, second = 0;
    std::size_t who = SIZE_MAX;
    void see(std::size_t index, std::uint32_t value);
    std::uint32_t without(std::size_t index) const { return index == who ? second : most; }
  };
  /// What the neighbours' entries of one distance come to.
  struct Beyond {
    Greatest lendable, largest;
    std::size_t incomplete = 0;         ///< how many of them leave sites out
    std::vector<bool> leaves_out;       ///< which
  };
  void sum_up(std::size_t distances);

  std::vector<Neighbour> list_;
  std::vector<Beyond> beyond_;  ///< by distance; made anew when a hint or a link has changed
  bool changed_ = true;
  CapacityHint hint_;           ///< scratch
};

}  // namespace dmm
