// The session of one job manager of this site: what it holds, when it is given up, and its requests while it is silent.
// `Users` keeps the sessions and changes them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "manager/lookup.hpp"
#include "sitemgr/lease.hpp"

namespace dmm {

/// A request of a job manager that is silent.
struct Shelved {
  Request request;
  Instant since{};  ///< when it began to wait
  std::uint32_t round = 0;
  std::uint64_t stay = 0;
};

struct UserSession {
  using Holds = DenseSet<std::pair<LeaseId, RequestId>>;
  /// A request of this job manager that holds nodes of a lease that this site owns. The owner, and the request's
  /// site and user, are implied: only the rest of both ids is stored.
  struct OwnHold {
    Epoch lease;
    std::uint64_t job = 0;
    std::uint32_t attempt = 0;
    auto operator<=>(const OwnHold&) const = default;
    friend std::uint64_t table_hash(const OwnHold& hold) {
      return dmm::table_hash(dmm::table_hash(hold.lease) ^ hold.job) ^ hold.attempt;
    }
  };

  Instant shelve_at = never;    ///< while it is silent: its requests leave the queue then
  Instant nodes_until = never;  ///< while it is silent: its nodes are released then
  Instant drop_at = never;      ///< in a new session: what it didn't ask for again is dropped then
  LookupSet<OwnHold> own;       ///< its requests that hold nodes of this site's own leases
  Holds borrowed;               ///< the same of leases that this site borrowed
  std::size_t open = 0;         ///< requests
  std::uint64_t drop_from = 0;  ///< the arrival up to which the chore `drop` has looked
  std::uint32_t number = 0;     ///< of the session
  bool up = false;
  Duration round_trip;  ///< 0: not known
  std::vector<Shelved> shelved;
  std::vector<Shelved> discarded;  ///< of these, those that it doesn't want any more
};

}  // namespace dmm
