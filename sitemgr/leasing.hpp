// The life of a lease at one hop: granted, claimed, given back, ended. Release travels to the owner, the end of a
// lease to the holder; each hop passes both on in the same step (docs/protocol.md section 7).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void on(SiteStep& s, FromSite from, Grant& grant);
/// Tells the holders of these nodes, which have them from us, that the nodes are over.
void tell_ended(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, LeaseEnd reason, bool confirmed,
                Duration grace = {});
void on(SiteStep& s, FromSite from, LeaseEnded& ended);
void on(SiteStep& s, FromSite from, Claim& claim);
void hear_claim(SiteStep& s, HopLease& lease);
void on(SiteStep& s, FromSite from, Release& release);
void on(SiteStep& s, FromUser from, Release& release);
/// The holder downstream gave these nodes back, empty for all, or has lost them: they go to the owner. Erases a
/// lease without nodes. `silent`: what runs there may go on; `failed`: nothing started there.
void give_back(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes, bool silent = false,
               bool failed = false);
/// As owner: these nodes, empty for all, are free again when their resource managers say that they are clean.
void clean(SiteStep& s, HopLease& lease, std::vector<NodeGroup> nodes, LeaseEnd reason, bool silent,
           Duration grace = {});
/// These nodes, empty for all, have no holder any more: which they were.
std::vector<NodeGroup> take_for_cleaning(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes);
void end_lease(SiteStep& s, HopLease& lease, LeaseEnd reason);
void account(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes);
HopLease& add_lease(SiteStep& s, HopLease lease);
/// In the book and in what is derived of it, but not in the ledger yet.
HopLease& keep_lease(SiteStep& s, HopLease lease);
void close(SiteStep& s, HopLease& lease);

}  // namespace dmm::site_steps
