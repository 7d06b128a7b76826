// What a holder of a lease believes, beside what its lender believes: if nothing were heard from now on, the
// holder must stop relying on the lease before its lender does (docs/protocol.md sections 8.15 and 8.16).
#pragma once

#include <string>

#include "simulator/world/world.hpp"

namespace dmm {

/// How a site relies on a lease for longer than the next site towards the owner does; empty if it doesn't, or if that
/// site is down, compares its leases anew, or has ended this one.
std::string relied_on_too_long(const World& world, const SiteName& holder, const HopLease& lease);

}  // namespace dmm
