// The owner's side of resource managers: what they offer, which nodes are clean again, which are set aside, which
// are gone (docs/protocol.md section 8). How a register is compared with our record is in comparing.cpp.
#pragma once

#include "protocol/or_fault.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void resource_manager_up(SiteStep& s, const Party& manager, bool restarted);
void on(SiteStep& s, FromProvider from, Register& part);
/// Nodes that are no nodes any more are under no lease, and nothing has to be cleaned there.
void remove_nodes_of(SiteStep& s, const Party& manager, const NodeSet& removed);
WhyNot forget(SiteStep& s, const ShortText& name);
/// `holder` is the sink's site.
/// `held`: so long its nodes may be held for a part of a co-allocated request before a job comes.
void assign(SiteStep& s, const HopLease& lease, const Party& manager, const NodeSet& nodes, Duration held = {});
void on(SiteStep& s, FromProvider from, Clean& message);
void on(SiteStep& s, FromProvider from, SetAside& aside);
void on(SiteStep& s, FromProvider from, LeaseEnded& ended);
/// A resource manager has been silent for a term: nothing new is started there. What runs may go on, if its job
/// manager is heard; this site will know when the resource manager is back.
void lose_nodes(SiteStep& s, const Party& manager);

}  // namespace dmm::site_steps
