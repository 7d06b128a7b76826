// For how long a lease is promised, hop by hop, and when it is over. While a lender's Beats vouch for what it
// lent, it stands; else it ends a term after the last of them. A site that no longer hears its own lender says so
// downstream: from then on its Beats don't speak for those leases (docs/protocol.md sections 4.6, 8.15 and 8.16).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// How long our Beats promise a lease to the next hop: less than we are promised, by the longest that it may take
/// us to notice that we aren't any longer.
Duration promise_of(const SiteParts& parts, const HopLease& lease);
bool stands(const SiteParts& parts, const HopLease& lease);
/// What we say that our Beats promise.
Duration word_on(const SiteParts& parts, const HopLease& lease);
/// When we take back what a neighbour was promised by a Beat that left then; `never` while Beats go on promising
/// it.
Instant promised_until(const SiteParts& parts, Instant vouched, const HopLease& lease);
void on(SiteStep& s, LinkStanding& change);
/// From now on it is promised to us by each Beat.
void stand(SiteParts& parts, HopLease& lease);
/// A lender may grant before its first Beat that vouches: then ours don't speak for the lease either.
void restate_unless_it_stands(SiteParts& parts, const HopLease& lease);
/// The holders of these leases, neighbours or our own job managers, hear whether the leases stand.
void tell_restated(SiteStep& s);
void on(SiteStep& s, FromSite from, Renewed& renewed);
void on(SiteStep& s, FromSite from, Renew& renew);
/// Job managers of this version don't ask: each hears by itself what changes.
void on(SiteStep& s, FromUser from, Renew&);
/// Looked at ten times in a term, while anything can change it.
void tell_wanted(SiteStep& s);
void renew_links(SiteStep& s);
void expire_leases(SiteStep& s);

}  // namespace dmm::site_steps
