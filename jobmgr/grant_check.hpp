// Whether the leases that the home site grants can be those of a request.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// The components that have nodes among these, in order.
std::vector<std::uint32_t> components_of(const std::vector<NodeGroup>& nodes);
/// Why the leases can't be those of the request; empty if they can.
WhyNot fault_of_grants(const RequestId& request, std::span<const Grant> grants, const ResourceNeed& need);

}  // namespace dmm
