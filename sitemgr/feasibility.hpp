// Feasibility: whether a request can ever be served, by this site or by any within its reach. Only configuration
// counts, as neighbours last told it (reach_board.hpp) and as resource managers last offered it, never what is up, busy
// or drained now. Requests that no site can ever serve are refused with the reason; which of this site's clusters could
// hold a class of requests is found once for the class (docs/protocol.md section 6.4).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/placer.hpp"
#include "sitemgr/reach_board.hpp"
#include "sitemgr/records.hpp"
#include "sitemgr/request_queue.hpp"

namespace dmm {

/// Why a request is refused for good.
struct Refusal {
  RefusalReason reason = RefusalReason::too_large;
  std::string text;
};

/// The widest component of a co-allocable request, as a request of its own.
ResourceNeed widest_part_of(const RequestClass& kind);

class Feasibility {
 public:
  /// What this part looks at beside its own state.
  struct Site {
    const SiteSettings& settings;
    const OwnedNodes& owned;
    const Neighbours& neighbours;
    const Placer& placer;
  };

  /// What can be had by configuration, here and beyond: counters of its changes.
  struct Sources {
    std::uint64_t sizes = 0, reach = 0;
    bool operator==(const Sources&) const = default;
  };

  explicit Feasibility(std::size_t neighbours) : reach_(neighbours), told_(neighbours) {}
  void add_neighbours(std::size_t neighbours);
  /// Neighbour `n` was removed, so nothing is beyond it; or it was added again, and has yet to tell its reach.
  void set_gone(std::size_t n, bool gone);

  // ---- what is known ----
  Sources sources(const OwnedNodes& owned) const { return {owned.size_changes(), reach_.changes()}; }
  /// A neighbour told what can be had at it and beyond it.
  void hear(std::size_t n, Reach reach);
  /// What a neighbour and all sites beyond it within `dttl` hops could do for a need.
  Prospect beyond(std::size_t n, const ResourceNeed& need, std::uint32_t dttl, Duration length) const {
    return reach_.beyond(n, need, dttl, length);
  }
  /// How many processors of such nodes a neighbour lends us at once, where a limit of the link leaves less than it
  /// has.
  std::uint32_t limit_of(std::size_t n, const Constraints& constraints) const {
    return reach_.limit_of(n, constraints);
  }
  /// The least DTTL, greater than the class has, that leads to a site that could serve it when idle. Nothing if no such
  /// site is known, or if no request may travel so far.
  std::optional<std::uint32_t> dttl_to_more(const Site& site, const RequestClass& kind, Duration length) const;
  /// What this site and, unless the request `stays`, all within its reach could do for a class.
  Prospect prospect(const Site& site, const RequestClass& kind, Duration length, bool stays) const;

  // ---- classes of requests ----
  /// Whether the site could serve a class when idle, and which of its clusters could hold the widest component.
  static std::pair<bool, std::uint64_t> classify(const Site& site, const ResourceNeed& need);
  /// Whether the classes are to be looked at.
  bool is_due(const OwnedNodes& owned) const { return looked_at_ != sources(owned); }
  /// The declared length from which on no site could ever serve a request of the class; 0: no site serves any length.
  /// Nothing if no request of the class is known to be hopeless.
  std::optional<Duration> hopeless_from(const Site& site, const RequestClass& kind) const;
  /// Why this request can never be served; nothing if it can, or if that isn't known.
  std::optional<std::pair<Refusal, Prospect>> refusal_of(const Site& site, const LocalRequest& request) const;
  /// The classes were looked at. `more`: hopeless requests are left for the next step, which goes on with them.
  void looked(const OwnedNodes& owned, bool more);
  bool goes_on() const { return goes_on_; }

  // ---- what neighbours are told ----
  /// A neighbour's link came up: it may have missed news. After a restart it knows nothing of what it was told.
  void came_up(std::size_t n, bool restarted);
  /// The reach to send now, for each neighbour that hasn't been told it; it counts as told from now on.
  std::vector<std::pair<std::size_t, Reach>> take_due(const Site& site);
  /// The reach that a neighbour was last sent.
  const std::vector<ReachEntry>& told(std::size_t n) const { return told_[n]; }

  // ---- the ledger ----
  void restore(const Neighbours& neighbours, ReachRecord row);
  void write(const Neighbours& neighbours, LedgerChanges<SiteRecord>& ledger);
  void add_records(const Neighbours& neighbours, std::vector<SiteRecord>& rows) const;

 private:
  Prospect prospect_of(const Site& site, const ResourceNeed& need, bool servable, std::uint32_t dttl,
                       Duration length, bool stays) const;
  Prospect prospect_of_parts(const Site& site, const RequestClass& kind, Duration length) const;
  static ReachEntry own_entry(const Site& site, std::size_t n);
  std::string limits_text(const Site& site, const RequestClass& kind, Duration length) const;

  ReachBoard reach_;
  std::vector<std::vector<ReachEntry>> told_;  ///< by neighbour
  std::optional<Sources> looked_at_;           ///< the counters when classes were last looked at
  std::optional<Sources> told_of_;             ///< the counters when neighbours were last told
  bool goes_on_ = false;
  std::set<std::size_t> changed_;    ///< neighbours with a row to be written
  std::vector<SiteName> gone_rows_;  ///< rows of sites that are no neighbours any more
};

}  // namespace dmm
