// Sending this site's own requests to neighbours, as HomeSearch finds them, and taking them back (docs/protocol.md
// section 6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Pauses that end, and answers that are overdue.
void run_due(SiteStep& s);
void delegate_local(SiteStep& s);
void on_answer(SiteStep& s, LocalRequest& request, RejectReason reason);
void withdraw(SiteStep& s, LocalRequest& request);

}  // namespace dmm::site_steps
