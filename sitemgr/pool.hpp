// What the sink does with nodes. It hands them to its users, and puts a next job on leased nodes while the lease
// lasts. It gives back at once what no user here can use (docs/protocol.md section 7; Iosup et al. 2007,
// section 4.3).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void hand_out(SiteStep& s, HopLease& lease, LocalRequest& request, std::vector<NodeGroup> nodes);
/// All nodes of these leases at once: each lease serves some components of the request.
void hand_out(SiteStep& s, const std::vector<HopLease*>& leases, LocalRequest& request, std::string placement);
std::vector<NodeGroup> take_from_users(SiteStep& s, HopLease& lease, const std::vector<NodeGroup>& nodes,
                                       const Party* job_manager);
void take_from_user(SiteParts& parts, HopLease& lease, const RequestId& request);
void into_pool(SiteParts& parts, HopLease& lease, std::vector<NodeGroup> nodes);
void match_pool(SiteStep& s);
/// Takes whole nodes for `processors` out of those groups that are in `cluster`, as component 0.
std::vector<NodeGroup> take_in_cluster(std::vector<NodeGroup>& idle, const ClusterName& cluster,
                                       std::uint32_t processors);

}  // namespace dmm::site_steps
