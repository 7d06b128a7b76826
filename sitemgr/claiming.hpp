// Incremental claiming: components that can't be had where they were placed are placed again, while the others
// stay held (Mohamed and Epema 2005, section 3.3).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// How many times as long as one try of all parts an attempt may take: more than one, where some may be placed
/// again.
std::int64_t claiming_tries(const SiteSettings& settings);

/// The part with this number was refused. If enough components are held, the part's own are placed again, and
/// other parts take its place. False: they can't be, and the attempt is to be given up.
bool place_again(SiteStep& s, LocalRequest& request, CoAttempt& attempt, std::uint32_t number);

}  // namespace dmm::site_steps
