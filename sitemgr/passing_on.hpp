// Delegations at the sites that aren't their home. What Transit takes is served (match_foreign in
// sitemgr/serving.cpp), passed on to a neighbour (Targets), or rejected. Answers go back the way that the
// delegation came (docs/protocol.md section 6).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void on(SiteStep& s, FromSite from, Delegate& delegate);
void pass_on(SiteStep& s, Foreign foreign);
/// A delegation is out at its target no longer.
void note_back(SiteParts& parts, const Foreign& foreign);
void withdraw_passed(SiteStep& s, const Foreign& foreign);
void on(SiteStep& s, FromSite from, Reject& answer);
/// The target of a delegation didn't grant it: it is passed on to another, or rejected.
void on_no_answer(SiteStep& s, Foreign foreign, RejectReason reason);
void on(SiteStep& s, FromSite from, Withdraw& message);

}  // namespace dmm::site_steps
