// The mould of a lease: every way in which a HopLease begins, becomes a message or a row, or is made of one. With
// a new field of HopLease none of these functions compiles until DMM_LEASE_FIELDS in lease_mould.cpp names the
// field; tests/sitemgr/lease_mould_test.cpp says which of them carry it.
#pragma once

#include "sitemgr/foreign.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/lending_terms.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/records.hpp"

namespace dmm {

/// Of our own nodes, which are still to be put into it, for a request of one of our own users.
HopLease lease_of_own(const LeaseId& id, const RequestId& request, Instant now, const SiteSettings& settings);
/// Makes it the first hop of a lease for a neighbour's Delegate. `ancestors`: the owner's.
void lend(HopLease& lease, const Foreign& foreign, const LendingTerms& terms, const SiteNames& ancestors);
/// Of a Grant that came from a neighbour: our hop of the lease, with no downstream yet. `promised`: the Grant left
/// the neighbour then or later, however long it was under way.
HopLease lease_from(const Grant& grant, Instant now, Instant promised, std::size_t upstream, bool upstream_stands);
/// Of a holding that a lender names: the hop of ours that was lost. `own_term`: promised while the lender doesn't know.
HopLease lease_from(const Holding& lent, Instant now, std::size_t upstream, std::size_t downstream,
                    bool upstream_stands, Duration own_term);
/// Of a row, with its ends as found among the neighbours. A restarted site is promised nothing until its lender says so
/// again, and its borrower has a whole term to renew. `owner_margin`: as in docs/protocol.md section 8.15.
HopLease lease_from(LeaseRecord& row, Instant now, std::optional<std::size_t> upstream,
                    std::optional<std::size_t> downstream, Duration own_term);

/// The Grant that tells the holder downstream of it. `promise`: for how long a Beat of ours vouches. What depends on
/// the request at this hop (round, origin, tries) is left to the caller.
Grant grant_of(const HopLease& lease, const std::vector<NodeGroup>& nodes, Instant now, Duration promise);
/// What an Inventory says of nodes of the lease. `left`: how long from now it is promised; 0: not known.
Holding holding_of(const HopLease& lease, const RequestId& request, const std::vector<NodeGroup>& nodes,
                   Instant now, Duration left);
/// What a Grant or a Holding for an own user lacks if the lease is of our own nodes: the settings have the sites above
/// the owner, the lease has not.
void add_own_ancestors(const HopLease& lease, const SiteSettings& settings, SiteNames& owner_ancestors);
LeaseRecord record_of(const HopLease& lease, const Neighbours& neighbours);

}  // namespace dmm
