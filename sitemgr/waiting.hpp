// Why a request waits: what keeps it from this site's own nodes, which leases have them, and where its search
// elsewhere stands. Looked at when a person asks; the exact reason also when a delegation is rejected.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

WaitView wait_of(const SiteParts& parts, Instant now, const RequestId& id);
WaitView why(const SiteParts& parts, Instant now, const RequestId& id);

}  // namespace dmm::site_steps
