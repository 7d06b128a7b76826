// Serving requests from owned nodes and making leases: local requests in the order of the dispatching policy, then
// what neighbours delegated, from what is left to lend (docs/protocol.md section 6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void match_local(SiteStep& s);
/// Round robin over links.
void match_foreign(SiteStep& s);

}  // namespace dmm::site_steps
