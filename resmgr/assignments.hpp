// The leases that nodes of a resource manager are under, each with what its site said of it. Three lists say which of
// them the end of a step looks at: leases with parked Starts that may begin, leases that may be idle, and leases with a
// changed row in the ledger. A lease may stand in a list though it is over. Slots knows the same leases by node.
#pragma once

#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "manager/lookup.hpp"
#include "protocol/ids.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"
#include "resmgr/marks.hpp"

namespace dmm {

/// What this resource manager knows of a lease.
struct Assignment {
  SiteName holder;
  ShortText user;       ///< the only user that may start jobs under it; empty: any user of the holder
  NodeSet nodes;        ///< never empty
  Duration patience;    ///< the round trip from the holder to here; of a part, plus how long it may be held
  bool alone = false;   ///< all of it is here
  bool once = false;    ///< it ends with its one task; not known any more after a restart, then it is taken back
  bool closed = false;  ///< ended here for silence or idleness: no Start under it, until the site takes it back
};

class Assignments {
 public:
  /// The lease, or nullptr. References stay valid until it is erased.
  Assignment* find(Epoch lease) { return leases_.find(lease); }
  const Assignment* find(Epoch lease) const { return leases_.find(lease); }
  Assignment& at(Epoch lease) { return leases_.at(lease); }
  const Assignment& at(Epoch lease) const { return leases_.at(lease); }
  /// The lease; a new one has no nodes yet.
  Assignment& get_or_make(Epoch lease) {
    DMM_ASSERT(lease.counter != 0);
    return leases_[lease];
  }
  void erase(Epoch lease) {
    const bool was_there = leases_.erase(lease);
    DMM_ASSERT(was_there);
  }
  /// All leases, in order.
  std::vector<Epoch> keys() const { return leases_.keys(); }
  std::size_t size() const { return leases_.size(); }
  bool empty() const { return leases_.empty(); }

  /// Parked Starts of the lease are to be considered again.
  void look_at(Epoch lease) { looks_.add(lease); }
  const std::vector<Epoch>& take_looks() { return looks_.take(); }
  bool has_looks() const { return !looks_.empty(); }
  /// The lease began, or got or lost a job.
  void may_be_idle(Epoch lease) { idle_.add(lease); }
  const std::vector<Epoch>& take_idle() { return idle_.take(); }
  /// The ledger's row of the lease is to be written or erased.
  void changed(Epoch lease) { changed_.add(lease); }
  const std::vector<Epoch>& take_changed() { return changed_.take(); }

 private:
  Lookup<Epoch, Assignment> leases_;
  Marks<Epoch> looks_, idle_, changed_;
};

}  // namespace dmm
