// Who may speak through this site along a delegation chain: job managers of a lease's sink with the resource managers
// that have its nodes, as long as the lease is carried here, and for a while after, since outcomes and output are
// brought back then. Nobody else's frames are passed on (docs/protocol.md section 5).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// The sink of a lease, and a resource manager that has nodes of it.
struct RelayPair {
  SiteName sink;
  Party manager;
  auto operator<=>(const RelayPair&) const = default;
};

class RelayRights {
 public:
  /// `memory`: for how long after its last lease a pair may speak.
  explicit RelayRights(Duration memory) : memory_(memory) {}

  /// A lease of theirs is carried, or no longer. Whether the pair is new, and to be remembered.
  bool carry(const RelayPair& pair);
  void drop(Instant now, const RelayPair& pair);
  /// They spoke before a restart; the memory of that counts from now.
  void restore(Instant now, const RelayPair& pair);

  bool may(const RelayPair& pair) const { return pairs_.contains(pair); }
  /// Pairs whose time is over; they may no longer speak.
  std::vector<RelayPair> take_over(Instant now);
  Instant next_over() const { return over_.empty() ? never : over_.begin()->first; }
  std::vector<RelayPair> all() const;

 private:
  struct Right {
    std::size_t leases = 0;
    Instant over = never;
  };
  void set_over(const RelayPair& pair, Right& right, Instant over);

  Duration memory_;
  std::map<RelayPair, Right> pairs_;
  std::set<std::pair<Instant, RelayPair>> over_;
};

/// Who speaks with whom in a relayed frame; nothing if these two never do.
std::optional<RelayPair> pair_of(const Party& from, const Party& to);

}  // namespace dmm
