// Capacity hints: what this site tells its neighbours of itself, and what it makes of theirs (hint_board.hpp;
// docs/protocol.md section 6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// What this site tells one neighbour of itself.
HintEntry own_hint(SiteParts& parts, Instant now, std::size_t n);
void on_hint(SiteStep& s, std::size_t n, CapacityHint hint);
void send_hints(SiteStep& s);

}  // namespace dmm::site_steps
