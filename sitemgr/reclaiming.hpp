// Reclaiming lent nodes for a local request that has waited for long (reservation.hpp).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void update_reservation(SiteParts& parts, Instant now);
void drop_reservation(SiteParts& parts);
Instant reclaim_due(const SiteParts& parts);
void reclaim_for_local(SiteStep& s);

}  // namespace dmm::site_steps
