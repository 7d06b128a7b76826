// Answers the verb "holdings" for site, job and resource managers: what a manager believes of its leases
// (docs/protocol.md section 9). A tool or test can then compare the beliefs of several managers.
//
// In pages: {"from": 0} is the first, "next" the place of the next one.
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
