// Gathering the parts of co-allocated requests of this site's own users: where each part is to run, holding all,
// claiming all, and giving all back if one can't be had (docs/protocol.md section 6.6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Whether components of a request of this site's users may run at several sites.
bool may_co_allocate(const SiteParts& parts, const ResourceNeed& need, std::uint32_t dttl);
/// Gives up the attempts that can't succeed any more.
void end_broken(SiteStep& s);
/// Tries requests that are due.
void gather(SiteStep& s);
/// The request that has waited longest is tried with leased nodes of this site that no job uses any more. False:
/// they are of no use to it, and stay in the pool.
bool gather_with(SiteStep& s, HopLease& lease, Duration usable_for);
/// Nothing of the request is out or held any more: it is to be served here, to leave, or to search again.
void call_back(SiteStep& s, LocalRequest& request);
/// The request leaves the queue.
void leave(SiteStep& s, LocalRequest& request);

// ---- parts ----
void take_part(SiteStep& s, std::size_t from, const Grant& grant, HopLease lease);
void part_rejected(SiteStep& s, std::size_t from, Reject& answer);
/// Not all parts of the request were there in time.
void parts_overdue(SiteStep& s, LocalRequest& request);
void part_claimed(SiteStep& s, const LeaseId& lease);
/// A lease at this sink, or some nodes of it, ended: if a part is held under it, the attempt is over.
void part_lost(SiteStep& s, const LeaseId& lease, LeaseEnd reason);
void parts_unreachable(SiteStep& s, std::size_t neighbour);

}  // namespace dmm::site_steps
