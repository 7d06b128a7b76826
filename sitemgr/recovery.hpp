// The ledger of a site: what is written when something changed, and how a restarted site goes on from it. Renewals
// are not in it: for how long it has what it borrowed, it asks again before it promises anything
// (docs/reliability.md).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void changed(SiteStep& s, HopLease& lease);
void write_ledger(SiteStep& s);
std::vector<SiteRecord> records_of(const SiteParts& parts);
void restore(SiteParts& parts, Instant now, std::vector<SiteRecord> rows);

}  // namespace dmm::site_steps
