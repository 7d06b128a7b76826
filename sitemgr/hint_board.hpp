// HintBoard (gossip): what each neighbour was told of free capacity here and beyond, and when it is to be told more.
// Big news soon has a message of its own: room for the neighbour's waiting users, or users that begin to wait here.
// Small news travels with other messages, or alone after a long while. While other sites wait too, news of farther
// sites must stay true for a moment first (docs/protocol.md section 6.1). Hints of neighbours are in neighbours.hpp.
#pragma once

#include <optional>
#include <vector>

#include "sitemgr/neighbours.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

/// What this site's users wait for in vain, as hints tell it.
struct Demand {
  std::uint32_t queued = 0;  ///< processors
  std::uint32_t width = 0;   ///< how many of them the first request needs in one cluster
  bool operator==(const Demand&) const = default;
};

class HintBoard {
 public:
  /// What hints are made of beside the demand: the counters of the parts that own it.
  struct Sources {
    std::uint64_t owned = 0, queue = 0, reservation = 0, lending = 0, drains = 0, neighbours = 0;
    bool operator==(const Sources&) const = default;
  };

  explicit HintBoard(std::size_t neighbours) : told_(neighbours) {}
  void add_neighbours(std::size_t neighbours) { told_.resize(neighbours); }

  // ---- what changes ----
  void set_demand(Demand demand) { demand_ = demand; }
  const Demand& demand() const { return demand_; }
  /// A neighbour's link came up: it knows nothing of what it was told.
  void came_up(std::size_t n) { told_[n].hint.clear(), seen_.reset(); }

  // ---- telling ----
  /// Whether there may be news, so that a message takes a hint along.
  bool has_news(const Sources& sources) const { return due_ != never || is_changed(sources); }
  /// The hint that a message to the neighbour takes along; empty if it was told all of it. `own`: our own entry.
  CapacityHint take_along(Instant now, std::size_t n, const HintEntry& own, Neighbours& neighbours,
                          std::size_t distances);
  /// Whether to look now for news for each neighbour. At most once in `interval`: a burst of events is one change.
  bool begin_round(Instant now, const Sources& sources, const Neighbours& neighbours, Duration interval);
  /// The hint to send to this neighbour now in a message of its own; nothing if it can wait. `kept_off_until`: when
  /// this site may lend to the neighbour again, which is news then.
  std::optional<CapacityHint> look(Instant now, std::size_t n, const HintEntry& own, Instant kept_off_until,
                                   Neighbours& neighbours, const SiteSettings& settings);
  Instant next_deadline() const { return due_; }

  /// The hint that a neighbour was last sent.
  const CapacityHint& told(std::size_t n) const { return told_[n].hint; }

 private:
  struct Seen {
    Sources sources;
    Demand demand;
    bool operator==(const Seen&) const = default;
  };
  struct Told {
    CapacityHint hint;
    Instant at{};
    Instant news_since = never;  ///< since when there is big news for the neighbour
    // The inputs and the result of the last look for news: the result is good until an input or `hint` changes.
    HintEntry looked_own;
    std::uint64_t looked_revision = 0;  ///< of `Neighbours`; 0: look again
    Instant tell_at{};
  };
  bool is_changed(const Sources& sources) const { return seen_ != Seen{sources, demand_}; }
  static void tell(Instant now, Told& told, const CapacityHint& fresh);
  static Instant tell_at(Instant now, Told& told, const CapacityHint& heard, const CapacityHint& fresh,
                         bool others_wait, const SiteSettings& settings);

  std::vector<Told> told_;  ///< by neighbour
  Demand demand_;
  std::optional<Seen> seen_;  ///< the inputs at the last look for news
  Instant due_ = never;       ///< when to look for news if nothing changes
  Instant checked_{};         ///< when the last look for news was
  std::size_t waiting_ = 0;   ///< at the last look: neighbours with waiting users of their own
};

}  // namespace dmm
