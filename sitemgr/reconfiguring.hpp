// Settings that change while the site manager runs: neighbours that come and go, weights, policies, limits. What
// can't be changed so is said, and then nothing is.
#pragma once

#include "protocol/or_fault.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

WhyNot reconfigure(SiteStep& s, const SiteSettings& settings);

}  // namespace dmm::site_steps
