// Arithmetic of granted nodes, and the way to them.
#pragma once

#include <vector>

#include "machine/effects.hpp"

namespace dmm {

NodeSet intersect(const NodeSet& a, const NodeSet& b);
/// Takes the ended nodes out of the held ones; returns what was taken. No ended nodes named means all.
std::vector<NodeGroup> take_out(std::vector<NodeGroup>& held, const std::vector<NodeGroup>& ended);
/// The nodes of `groups` that aren't among the others.
std::vector<NodeGroup> without(std::vector<NodeGroup> groups, const std::vector<NodeGroup>& others);
/// Tells the session layer how to reach each resource manager: from our site backwards along the delegation chain.
void add_routes(Effects& effects, const std::vector<NodeGroup>& nodes, const std::vector<SiteName>& chain);

}  // namespace dmm
