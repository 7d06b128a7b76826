// The steps of reclaiming.hpp.
#include "sitemgr/reclaiming.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/orders.hpp"

namespace dmm::site_steps {
namespace {

/// Nodes that haven't come so long after the last grace are given up: a resource manager can't be reached.
constexpr Duration beyond_grace = seconds(60);

}  // namespace

void update_reservation(SiteParts& parts, Instant now) {
  if (parts.reservation.is_over(now, parts.queue)) drop_reservation(parts);
}

void drop_reservation(SiteParts& parts) { parts.reservation.drop(); }

Instant reclaim_due(const SiteParts& parts) {
  const bool may = !parts.drains.has_self() && parts.lending.borrowers().processors() > 0;
  return parts.reservation.due(parts.queue.head(), may, parts.settings);
}

void reclaim_for_local(SiteStep& s) {
  if (s.now < reclaim_due(s.parts)) return;
  LocalRequest* head = s.parts.queue.head();
  auto victims =
      s.parts.reservation.choose(s.now, head->kind->need, s.parts.leases, s.parts.owned, s.parts.placer);
  if (!victims) return;
  head->reclaimed = true;
  Duration longest;
  for (const LeaseId& id : victims->leases) {
    HopLease& lease = *s.parts.leases.find(id);
    longest = std::max(longest, lease.grace == end_of_job ? s.parts.settings.gather_max : lease.grace);
    reclaim(s, lease, lease.grace, LeaseEnd::reclaimed);
  }
  s.parts.reservation.reserve({head->request.id, std::move(victims->processors), s.now + longest + beyond_grace});
}

}  // namespace dmm::site_steps
