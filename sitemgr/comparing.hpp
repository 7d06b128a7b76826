// A resource manager's register beside the owner's record. Our record says what is leased, the resource manager's
// what is running (docs/protocol.md section 8.17).
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// What the resource manager lacks is assigned again; what it has without us is taken back, and its nodes are free
/// only when it says that they are clean.
void compare(SiteStep& s, const Party& manager, const Register& offer, bool is_first);

}  // namespace dmm::site_steps
