// Reclaiming lent nodes for a local request that has waited for long (reservation.hpp).
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// Nodes that haven't come so long after the last grace are given up: a resource manager can't be reached.
constexpr Duration beyond_grace = seconds(60);

}  // namespace

void SiteManager::update_reservation(Instant now) {
  if (reservation_.is_over(now, queue_)) drop_reservation();
}

void SiteManager::drop_reservation() {
  reservation_.drop();
  matcher_.look_again();
  hints_.changed();
}

Instant SiteManager::reclaim_due() const {
  const bool may = !lending_.drained_here() && lending_.borrowers().processors() > 0;
  return reservation_.due(queue_.head(), may, settings_);
}

void SiteManager::reclaim_for_local(Step& s) {
  if (s.now < reclaim_due()) return;
  LocalRequest* head = queue_.head();
  auto victims = reservation_.choose(s.now, head->kind->need, leases_, owned_, placer_);
  if (!victims) return;
  head->reclaimed = true;
  Duration longest;
  for (const LeaseId& id : victims->leases) {
    Lease& lease = *leases_.find(id);
    longest = std::max(longest, lease.grace == end_of_job ? settings_.gather_max : lease.grace);
    reclaim(s, lease, lease.grace, LeaseEnd::reclaimed);
  }
  reservation_.reserve({head->request.id, std::move(victims->processors), s.now + longest + beyond_grace});
  matcher_.look_again();
  hints_.changed();
}

}  // namespace dmm
