// ClusterBoard: the clusters of other sites in reach, as neighbours reported them. It is looked at only to place
// co-allocated requests, and asked for only while one waits (Survey, docs/protocol.md section 6.6). Soft state:
// what is old or wrong costs another try, never correctness.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// No Clusters has more, so that no answer is long, however many sites are in reach.
constexpr std::size_t clusters_told_max = 64;

class ClusterBoard {
 public:
  /// A cluster, and how it is reached.
  struct Known {
    ClusterReport report;       ///< `hops`: from this site; `round_trip`: from this site
    std::size_t neighbour = 0;  ///< the next site on the way to it
    Instant heard{};            ///< when its owner said so, as far as it is known
  };

  explicit ClusterBoard(std::size_t neighbours) : links_(neighbours) {}
  void add_neighbours(std::size_t neighbours) { links_.resize(neighbours); }

  // ---- asking ----
  /// Whether the neighbour is to be asked: it wasn't of late, or for fewer hops. It is asked the more seldom the more
  /// of its answers in a row said nothing new.
  bool is_due(Instant now, std::size_t n, std::uint32_t hops) const;
  /// Notes that it is asked now, and returns for how many hops: as many as any request wanted of late, since each
  /// answer replaces the one before.
  std::uint32_t asked(Instant now, std::size_t n, std::uint32_t hops);
  /// Whether each of these neighbours has answered what it was asked last, or had this time to.
  bool is_fresh(Instant now, const std::vector<std::size_t>& neighbours, Duration awaited) const;
  /// Neighbour `n` asked. It is told again whenever the others of these have answered, a few times: what is far
  /// away is known after a round of questions or two then, not after one for each hop.
  void owe(std::size_t n, std::uint32_t hops, const std::vector<std::size_t>& neighbours);
  /// The neighbours that are to be told again now, and for how many hops each asked.
  std::vector<std::pair<std::size_t, std::uint32_t>> take_owed(const std::vector<std::size_t>& neighbours);

  /// There may be news at a neighbour, or beyond it: it is asked again soon.
  void expect_news(std::size_t n);

  // ---- hearing ----
  /// The link that an answer came over.
  struct Way {
    Duration round_trip;
    std::uint64_t bandwidth = 0;  ///< bytes a second; 0: not known
  };
  /// A neighbour's answer, which replaces what it said before. `self`: what it says of this site itself is nothing
  /// new.
  void hear(Instant now, std::size_t n, Clusters said, const Way& way, const SiteName& self);
  /// Nothing that came over this link is known any more.
  void forget(std::size_t n) { links_[n] = {}; }
  /// Nodes of a cluster were asked for: they count as free no longer, until it is heard of again.
  void take(const SiteName& site, const ClusterName& cluster, std::uint32_t processors);
  /// A site turned a part away for this reason: nothing of it counts as free, until it is heard of again.
  void turned_away(const SiteName& site, RejectReason reason);

  // ---- what is known ----
  /// The clusters within `hops` that were heard of lately, each once, by its shortest way. The nearest come first:
  /// those over the fewest sites; of these, the ones that a megabyte reaches soonest.
  std::vector<Known> within(Instant now, std::uint32_t hops) const;
  /// The neighbour that leads to a site; nothing if no neighbour told of the site of late.
  std::optional<std::size_t> next_hop(Instant now, const SiteName& site) const;
  /// What a neighbour is told of clusters beyond this site, within `hops` of the neighbour.
  std::vector<ClusterReport> reports_for(Instant now, std::size_t n, std::uint32_t hops) const;

 private:
  struct Link {
    std::vector<Known> clusters;
    std::uint32_t hops = 0;  ///< for how many it was asked last
    Instant far_wanted{};    ///< when a request wanted these hops last
    std::optional<Instant> asked;
    std::optional<Instant> answered;
    Duration pause;          ///< after which it is asked again
    std::uint32_t owed = 0;  ///< for how many hops it is to be told again; 0: it isn't
    int more_answers = 0;    ///< how often
    bool is_awaited() const { return asked && (!answered || *answered < *asked); }
  };

  bool awaits_others(std::size_t n, const std::vector<std::size_t>& neighbours) const;

  std::vector<Link> links_;  ///< by neighbour
};

}  // namespace dmm
