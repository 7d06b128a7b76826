// For how long a lease is promised, hop by hop, and when it is over. While a lender's Beats vouch for what it
// lent, it stands; else it ends a term after the last of them. A site that no longer hears its own lender says so
// downstream: from then on its Beats don't speak for those leases (docs/protocol.md sections 4.7, 8.15 and 8.16).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// How long each of our Beats promises a lease to the borrower. That is less than our lender's Beats promise us,
/// by the time that we may need to notice that those have stopped vouching.
Duration promise_of(const SiteParts& parts, const HopLease& lease);
/// What a Grant promises that is passed on: without our lender's word, no more than the rest of our own right.
Duration first_promise(const SiteParts& parts, Instant now, const HopLease& lease);
bool stands(const SiteParts& parts, const HopLease& lease);
/// What we tell the holder: `promise_of` while the lease stands, else `not_known`.
Duration word_on(const SiteParts& parts, const HopLease& lease);
/// The instant at which our promise of a lease to its borrower ends, if our last Beat that vouched for it left at
/// `vouched`. `never` while the borrower's link is up, since our Beats go on.
Instant promised_until(const SiteParts& parts, Instant vouched, const HopLease& lease);
/// Another term from the lender. What earlier Beats promised, to us and by us, stays promised.
void set_term(const SiteParts& parts, HopLease& lease, Duration term, Instant proved);
void on(SiteStep& s, LinkStanding& change);
/// From now on each Beat of the lender promises the lease to us.
void stand(SiteParts& parts, HopLease& lease);
/// It was promised to us by a Beat that left at `proved`, and by none since.
void waver(SiteParts& parts, HopLease& lease, Instant proved);
/// A lender may grant before its first Beat that vouches: then ours don't speak for the lease either.
void restate_unless_it_stands(SiteParts& parts, const HopLease& lease);
/// The holders of these leases, neighbours or our own job managers, hear whether the leases stand.
void tell_restated(SiteStep& s);
void on(SiteStep& s, FromSite from, Renewed& renewed);
void on(SiteStep& s, FromSite from, Renew& renew);
/// Job managers of this version don't ask: each hears by itself what changes.
void on(SiteStep& s, FromUser from, Renew&);
/// Tells borrowers which leases are wanted back. Looks ten times in a term, while anything can change that.
void tell_wanted(SiteStep& s);
void renew_links(SiteStep& s);
void expire_leases(SiteStep& s);

}  // namespace dmm::site_steps
