// A delegation chain on the map of its grid: who asked whom, who said no, whose nodes were lent. Pure: SVG out.
#pragma once

#include <string>

#include "cli/logs/delegation_chain.hpp"
#include "topologies/topology.hpp"

namespace dmm {

/// Sites stand below their parents; a disc's area is a site's processors, and a small ring is a site that only passes
/// on. Sites that the chain names and the topology doesn't are left out.
std::string chain_picture(const Topology& topology, const DelegationChain& chain);

}  // namespace dmm
