// Asking neighbours which clusters they know, and answering them (docs/protocol.md section 6.6). A site asks only
// while a co-allocated request waits here or at a neighbour that asked of late: each neighbour twice a second at most,
// and more seldom while its answers say nothing new.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Asks all neighbours that are up, but `except`, for clusters within `hops`, if they weren't asked of late.
void survey(SiteStep& s, std::uint32_t hops, std::optional<std::size_t> except = std::nullopt);
void on(SiteStep& s, FromSite from, const Survey& asked);
void on(SiteStep& s, FromSite from, Clusters& said);
void on(SiteStep& s, FromSite from, const Probe& probe);
void on(SiteStep& s, FromSite from, const Probed& answer);

}  // namespace dmm::site_steps
