// Serving requests from owned nodes and making leases: local requests in the order of the dispatching policy, then
// what neighbours delegated, from what is left to lend (docs/protocol.md section 6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// A lease of our own nodes, of such as are expected to be spared for `length`, the job's declared time (0: none).
/// `foreign`: the delegation that it answers; none, for one of our own users. `held`: so long its nodes may be
/// held for a part of a co-allocated request before a job comes.
HopLease& make_lease(SiteStep& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                     Duration length, const Foreign* foreign, Duration held = {});
void match_local(SiteStep& s);
/// Round robin over links.
void match_foreign(SiteStep& s);

}  // namespace dmm::site_steps
