// Gathering the parts of co-allocated requests of this site's own users: where each part is to run, holding all,
// claiming all, and giving all back if one can't be had (docs/protocol.md section 6.6). gathering_places.cpp has what
// comes before an attempt, gathering.cpp the attempt.
#pragma once

#include "sitemgr/part_placing.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Whether a placement says where it goes, and not which site has room first: it has input files.
bool is_placed_by_files(const SiteParts& parts, const ResourceNeed& need);
/// A request is to be placed, from now on: at once, and then whenever it is due.
void place(SiteStep& s, const LocalRequest& request);
/// Whether components of a request of this site's users may run at several sites; of one that is placed by its
/// files, whether it may run elsewhere.
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

/// Why a neighbour on the way to a part isn't asked now; empty if all may be. Parts of one request that go the
/// same way count as one delegation.
std::string why_not_asked(const SiteParts& parts, Instant now, const std::vector<CoPart>& wanted);
/// Begins to hold the parts of a request, which the placement has.
void begin_attempt(SiteStep& s, LocalRequest& request, std::vector<CoPart> parts, const Placement& placement,
                   const CoMap& map);
/// Holds the parts from number `first` on that are here, and asks for the others; claims all if all are held.
void ask_parts(SiteStep& s, LocalRequest& request, CoAttempt& attempt, std::uint32_t first,
               const Placement& placement, const CoMap& map);

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
