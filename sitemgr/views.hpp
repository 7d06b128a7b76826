// What people see of a site manager, and the recount that tests ask for.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

SiteView view_of(const SiteParts& parts, Instant now);
std::vector<NodesView> nodes_of(const SiteParts& parts);
bool is_quiet(const SiteParts& parts);
void check_invariants(const SiteParts& parts);

}  // namespace dmm::site_steps
