// Refusing requests that no site can ever serve, and telling neighbours what can be had here (feasibility.hpp).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void classify(SiteParts& parts, RequestClass& kind);
/// What is configured or known has changed: each class is looked at again, and what became hopeless is refused.
void refuse_hopeless(SiteStep& s);
void refuse_if_hopeless(SiteStep& s, LocalRequest& request);
/// Refuses a request for which no place was found in as many tries as it may have. Whether it was.
bool refuse_if_tried_enough(SiteStep& s, LocalRequest& request);
void tell_reach(SiteStep& s);
void on(SiteStep& s, FromSite from, Reach& reach);

}  // namespace dmm::site_steps
