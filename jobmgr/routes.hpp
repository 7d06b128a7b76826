// Routes to the resource managers of granted nodes, for the session layer.
#pragma once

#include <vector>

#include "manager/effects.hpp"

namespace dmm {

/// Tells the session layer how to reach each resource manager: from our site backwards along the delegation chain.
void add_routes(Effects& effects, const std::vector<NodeGroup>& nodes, const SiteNames& chain);

}  // namespace dmm
