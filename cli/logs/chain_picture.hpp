// A delegation chain on the map of its grid: which site asked which, which sites refused, and which site lent its
// nodes. Pure: SVG out.
#pragma once

#include <string>

#include "cli/logs/delegation_chain.hpp"
#include "topologies/topology.hpp"

namespace dmm {

/// Sites stand below their parents. The area of a disc is the site's processors; a small ring is a site that only
/// relays. Sites of the chain that the topology lacks are left out.
std::string chain_picture(const Topology& topology, const DelegationChain& chain);

}  // namespace dmm
