// What a manager believes of leases, for whoever compares it with what the others believe: the answer to the verb
// "holdings" that all three know (docs/protocol.md section 9). In pages: {"from": 0} is the first, "next" the place of
// the next one.
#pragma once

#include "jobmgr/job_manager.hpp"
#include "protocol/messages.hpp"
#include "resmgr/resource_manager.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

Answer holdings_of(const SiteManager& site, const Ask& ask);
Answer holdings_of(const JobManager& jobs, const Ask& ask);
Answer holdings_of(const ResourceManager& nodes, const Ask& ask);

}  // namespace dmm
