// What this site's jobs experienced at others, as their job managers say: clusters with hosts that fail, and how
// long files were under way. Placement minds both.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void on(SiteStep& s, FromUser from, const Staged& staged);
/// A job of ours gave these nodes of a borrowed lease back; whether a host had failed it there.
void note_served(SiteStep& s, const HopLease& lease, const std::vector<NodeGroup>& nodes, bool host_failed);

}  // namespace dmm::site_steps
