// What keeps a need from this site's own nodes: for people, and as the exact reason of a Reject.
#pragma once

#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/placer.hpp"
#include "sitemgr/site_view.hpp"

namespace dmm {

/// The first clause that keeps the need from this site's nodes: what the site can never give comes before what it can't
/// give now. `is_drained`: nothing new starts on them. A walk over the resource managers.
Clause clause_of(const ResourceNeed& need, const SiteName& site, const OwnedNodes& owned, const Placer& placer,
                 bool is_drained);

/// Why none of a cluster's nodes may be used, as its resource managers stand: `nodes_down`, `nodes_aside`, or
/// `no_capacity` if some may.
RejectReason why_unusable(const std::vector<OwnedManagerView>& managers, const ClusterName& cluster);

}  // namespace dmm
