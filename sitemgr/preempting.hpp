// A request of high priority that finds no room ends jobs of low priority, if its home site is configured so.
// These are jobs of the site's own users, the last begun first (Mohamed and Epema 2005, section 3.3). The home
// site alone knows which jobs use its leases. So it names the leases that it gives up, and each owner ends as many
// as the part needs.
#pragma once

#include <vector>

#include "sitemgr/part_placing.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Leases with jobs of low priority alone that the request may end, the last granted first. None where the request
/// isn't of high priority, the site doesn't preempt, or jobs ended for the request in vain of late.
std::vector<LeaseId> may_end(const SiteParts& parts, Instant now, const LocalRequest& request);
/// Counts the nodes of the lease as idle, except at clusters that the request may not use: it would end the job in
/// vain, and again when that has nodes once more.
void add_given_up(const SiteParts& parts, const LeaseId& lease, CoMap& map);
/// Names for each part the leases at its clusters. Those of the part at this site end now, as far as it needs
/// them; true if any did. From now on the request counts as having waited longer than the jobs of these leases:
/// else one of these, when it waits again, would take the nodes back and be ended again.
bool give_up(SiteStep& s, const LocalRequest& request, const std::vector<LeaseId>& given_up,
             std::vector<CoPart>& parts);
/// As owner: ends leases that the home site of the part gives up for it, if the part has room then.
bool end_given_up(SiteStep& s, const Foreign& foreign, const Precedence& one);

}  // namespace dmm::site_steps
