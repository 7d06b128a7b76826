// What two managers compare, an inventory or what a resource manager registers, is larger than a frame may be where
// there are many leases: it travels in parts.
#pragma once

#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// The inventory in messages that fit into frames, the last one marked; one, if it is small or empty.
std::vector<Inventory> pages_of(Inventory whole);
/// Adds a part to what has come, and takes its holdings; whether it was the last. No honest party holds more than a
/// million leases: what is beyond is left out.
bool assemble(Inventory& so_far, Inventory& part);

/// What a resource manager registers, in the same way; each part has all but leases and dirty nodes.
std::vector<Register> pages_of(Register whole);
/// Adds a part to what has come, and takes its leases and nodes; with the last one, which is then the whole, true.
bool assemble(Register& so_far, Register& part);

}  // namespace dmm
