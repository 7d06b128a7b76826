// Carrying out what follows from two inventories (reconciliation.hpp): what is sent at the start of a session, and
// what is done about each lease that the other side names or leaves out.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void begin_reconciliation(SiteStep& s, std::size_t n);
void on(SiteStep& s, FromSite from, Inventory& part);
void begin_reconciliation(SiteStep& s, const Party& party);
/// What the job manager doesn't hold any more comes back; what it holds without our record is over.
void on(SiteStep& s, FromUser from, Inventory& part);
/// Ends leases for which no side spoke in time.
void end_unvouched(SiteStep& s);

}  // namespace dmm::site_steps
