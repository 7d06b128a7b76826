// What can be had beyond each neighbour by configuration: the latest Reach that it told, kept over restarts on both
// sides. This and the site's own configuration alone decide whether a request is too large, is too long or wants nodes
// that no site has. What is up, busy or drained now never counts (docs/protocol.md section 6.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "sitemgr/reach_total.hpp"

namespace dmm {

/// What sites within reach could do for a need.
struct Prospect {
  bool possible = false;      ///< some site could serve it when idle
  bool complete = false;      ///< all sites within reach are known: if it isn't possible it never will be
  bool wide_enough = false;   ///< some site has enough processors, of whatever kind
  bool has_nodes = false;     ///< and enough of what is demanded; only the length is left
  std::uint32_t largest = 0;  ///< processors of the largest cluster within reach
  std::uint64_t in_all = 0;   ///< of a divided request: processors that would do, at all sites within reach
  bool too_few_together =
      false;  ///< of a divided request: each part has a place, but `in_all` is less than it needs
  /// Not 0: nodes would do, and a limit of a link leaves too few of them. The most processors that the nearest such
  /// link lends at once; it is `limit_hops` hops away.
  std::uint32_t limit = 0, limit_hops = 0;
};

/// What one distance's sites could do for it, added to what is known.
void consider(const ReachEntry& entry, const ResourceNeed& need, Duration length, Prospect& prospect);

/// What all neighbours but one told, for each of them: found from sums of those before and those after it, so that it
/// takes no look at all of them for each. Refers to what was told.
class ReachSums {
 public:
  ReachSums(const std::vector<Reach>& heard, const std::vector<bool>& gone, std::size_t distances);
  /// What is to be told to one neighbour: our own entry, and what all others told, one hop further.
  Reach without(std::size_t neighbour, ReachEntry own) const;

 private:
  /// Nodes of one kind at one distance, as several neighbours told of them.
  struct Kind {
    const NodeClass* what = nullptr;
    std::uint32_t largest = 0, together = 0;
    Duration longest;
    bool limited = false;
    std::uint64_t in_all = 0;
    std::vector<ReachSite> sites;  ///< empty: there are too many, or some neighbour didn't name its own
  };
  struct Entry {
    bool complete = true;
    std::vector<Kind> kinds;
    void add(const Kind& more);
    void add(const Entry& more);
  };
  static Entry entry_of(const Reach& told, std::size_t distance);

  std::vector<std::vector<Entry>> before_,
      after_;  ///< by neighbour and distance; of those in front of it, and behind
};

class ReachBoard {
 public:
  explicit ReachBoard(std::size_t neighbours) : heard_(neighbours), gone_(neighbours) {}

  /// A neighbour told its reach; whether it says anything new.
  bool hear(std::size_t neighbour, Reach reach);
  const Reach& heard(std::size_t neighbour) const { return heard_[neighbour]; }
  /// What is to be told to neighbours, of this many distances; valid until anything new is heard.
  ReachSums sums(std::size_t distances) const { return {heard_, gone_, distances}; }
  /// What a neighbour and all beyond it, as far as the request may travel, could do for it.
  Prospect beyond(std::size_t neighbour, const ResourceNeed& need, std::uint32_t dttl, Duration length) const;
  /// Adds what is to be counted of all sites beyond a neighbour, as far as the request may travel.
  void count_beyond(std::size_t neighbour, const Constraints& constraints, std::uint32_t dttl, Duration length,
                    ReachTotal& total) const;
  /// The least number of hops, above `dttl` and at most `most`, at which a site beyond a neighbour could serve it
  /// when idle; nothing if none is known.
  std::optional<std::uint32_t> hops_to_more(std::size_t neighbour, const ResourceNeed& need, std::uint32_t dttl,
                                            std::uint32_t most, Duration length) const;
  /// Of nodes that meet these constraints: how many processors of them a neighbour lends us at once by a limit of
  /// the link; 0 if no limit leaves less than it has.
  std::uint32_t limit_of(std::size_t neighbour, const Constraints& constraints) const;
  /// Neighbours were added: there are this many.
  void add_neighbours(std::size_t neighbours) { heard_.resize(neighbours), gone_.resize(neighbours), ++changes_; }
  /// One is a neighbour no longer, so that nothing is beyond it; or it is one again, and has yet to tell.
  void set_gone(std::size_t neighbour, bool gone);
  /// Counts up whenever anything new was heard.
  std::uint64_t changes() const { return changes_; }

 private:
  std::vector<Reach> heard_;
  std::vector<bool> gone_;
  std::uint64_t changes_ = 0;
};

}  // namespace dmm
