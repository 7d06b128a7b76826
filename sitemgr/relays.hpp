// Relays: which frames between job managers and resource managers this site passes on. A job manager of a lease's sink
// and the resource managers that have the lease's nodes may speak through every site that carries the lease. They may
// also speak for a while after its end, since outcomes and output are fetched then. The site keeps nothing of a relayed
// frame. It passes a frame on only along the path that the frame names, and only if the frame came from the site before
// it on that path (docs/protocol.md section 5).
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "manager/times.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/records.hpp"

namespace dmm {

class Relays {
 public:
  /// `self`: this site. `memory`: for how long a pair may speak after its last lease.
  Relays(SiteName self, Duration memory) : self_(std::move(self)), memory_(memory) {}

  /// The sink of this lease and the resource managers that have its nodes may speak while it is carried here.
  void carry(const HopLease& lease);
  /// The lease is on this resource manager, too.
  void carry(const HopLease& lease, const Party& manager);
  /// The lease is carried no longer: its pairs may speak for as long as the memory lasts.
  void drop(Instant now, const HopLease& lease);
  /// Whether to pass this frame on. `from`: the party at the other end of the link that it came over. `knows_receiver`:
  /// whether the receiver is a job manager or resource manager of this site that is known here; called only where the
  /// path ends here.
  template <class Knows>
  bool may(const Relay& relay, const Party& from, Knows knows_receiver) const {
    const std::optional<RelayPair> pair = pair_of(relay.from, relay.to);
    if (!pair || !came_its_way(relay, from)) return false;
    if (relay.position + 1 == relay.path.size() && !knows_receiver(relay.to)) return false;
    const bool is_at_home = pair->sink == self_ && pair->manager.site == self_;
    return is_at_home || pairs_.contains(*pair);
  }

  /// Forgets pairs that may speak no longer.
  void sweep(Instant now);
  Instant next_deadline() const { return over_.next_deadline(); }

  /// The pair spoke before a restart; its memory counts from now.
  void restore(Instant now, const RelayRecord& row);
  /// The rows that changed since the last call.
  void write(LedgerChanges<SiteRecord>& ledger);
  void add_records(std::vector<SiteRecord>& rows) const;

 private:
  struct Right {
    std::size_t leases = 0;  ///< of the pair, carried here
    Instant over = never;    ///< while there are none
  };
  static std::optional<RelayPair> pair_of(const Party& from, const Party& to);
  bool came_its_way(const Relay& relay, const Party& from) const;
  void set_over(const RelayPair& pair, Right& right, Instant over);
  void drop(Instant now, const RelayPair& pair);

  SiteName self_;
  Duration memory_;
  std::map<RelayPair, Right> pairs_;
  Times<RelayPair> over_;                            ///< every Right::over
  std::vector<std::pair<RelayPair, bool>> changed_;  ///< since the last `write`, and whether they may speak now
};

}  // namespace dmm
