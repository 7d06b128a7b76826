// Which placement the links between clusters slow down least, for jobs that say how much their processors send
// (Jones et al. 2004, section 3).
#pragma once

#include <string>
#include <vector>

#include "sitemgr/part_placing.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// The placement, or another policy's that the links would slow down less. The same where the job says nothing of
/// what it sends, or is placed by its files.
Placement least_slowed(SiteParts& parts, const LocalRequest& request, const ResourceNeed& need, const CoMap& map,
                       Placement placement);
/// What the placement asks of the links, for people; empty where that isn't minded.
std::string price_of(SiteParts& parts, const LocalRequest& request, const CoMap& map, const Placement& placement);
/// The request has its nodes, under these leases: what it sends is minded from now on, if it is spread over clusters.
void note_communication(SiteStep& s, const LocalRequest& request, const std::vector<HopLease*>& leases);

}  // namespace dmm::site_steps
