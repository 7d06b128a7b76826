// An inventory of a link with many leases is larger than a frame may be: it travels in parts.
#pragma once

#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// The inventory in messages that fit into frames, the last one marked; one, if it is small or empty.
std::vector<Inventory> parts_of(Inventory whole);
/// Adds a part to what has come, and takes its holdings; whether it was the last. No honest party holds more than a
/// million leases: what is beyond is left out.
bool gather(Inventory& so_far, Inventory& part);

}  // namespace dmm
