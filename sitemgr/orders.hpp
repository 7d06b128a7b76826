// What the owner orders: nodes come back before their lease ends, a borrower is lent nothing more. Owners come
// first: what they say holds at once, whatever a lease had promised (docs/operations.md).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

std::size_t reclaim(SiteStep& s, const std::string& lease_or_site, Duration grace);
/// The holder hears it at once; the resource managers ask what runs to end, and kill it after the grace.
void reclaim(SiteStep& s, HopLease& lease, Duration grace, LeaseEnd reason);
bool drain(SiteStep& s, const SiteName& site);
bool may_drain(const SiteParts& parts, const SiteName& site);
bool resume(SiteStep& s, const SiteName& site);

}  // namespace dmm::site_steps
