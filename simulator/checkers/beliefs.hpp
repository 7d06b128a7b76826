// Compares what the two sides of a lease believe. If the link falls silent now, the holder must stop relying on the
// lease before its lender does (docs/protocol.md sections 8.15 and 8.16).
#pragma once

#include <string>

#include "simulator/world/world.hpp"

namespace dmm {

/// Describes how a site relies on a lease for longer than its lender; empty if it doesn't. Also empty if the lender
/// is down, reconciles its leases, or has ended this one.
std::string relied_on_too_long(const World& world, const SiteName& holder, const HopLease& lease);

}  // namespace dmm
