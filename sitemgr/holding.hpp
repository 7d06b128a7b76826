// What an owner does for the parts of co-allocated requests: it holds nodes for them until they are claimed, lets
// older requests have the nodes that younger ones hold, and acknowledges claims (docs/protocol.md section 6.6).
#pragma once

#include <map>
#include <span>
#include <vector>

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// The site at which a part is aimed; empty if the delegation is no such part.
SiteName aim_of(const Delegate& asked);
Precedence precedence_of(const Foreign& foreign);
/// How many of these leases of this site's nodes, from the first on and one at least, leave room for the need when
/// they have ended; 0: not even all do.
std::size_t enough_of(const SiteParts& parts, const ResourceNeed& need, std::span<const LeaseId> leases);
/// A part for this site found too few free nodes. If those that are held for younger requests would do, they are
/// freed for it, and no younger request gets any for a while. Whether that was done.
/// `hops`, `round_trip`: how far the part came.
bool outrank(SiteStep& s, const ResourceNeed& need, const Precedence& one, std::size_t hops, Duration round_trip);
/// Processors of this site that are held for parts, by cluster.
std::map<ClusterName, std::uint32_t> held_by_cluster(SiteParts& parts);
/// The sink has claimed the lease: it is held no longer, and the sink is told so.
void acknowledge(SiteStep& s, const HopLease& lease);
void on(SiteStep& s, FromSite from, const Claimed& claimed);

}  // namespace dmm::site_steps
