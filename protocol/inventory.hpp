// An inventory, or what a resource manager registers, is larger than a frame where there are many leases. So it travels
// in pages.
#pragma once

#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

/// The inventory in messages that fit into frames, the last one marked; a single message if it is small or empty.
std::vector<Inventory> pages_of(Inventory whole);
/// Moves the holdings of a page to those that came before; whether it was the last page. No honest party holds more
/// than 200,000 leases: a page that goes beyond that is left out.
bool assemble(Inventory& so_far, Inventory& part);

/// A registration in pages, likewise; each has all but leases and dirty nodes.
std::vector<Register> pages_of(Register whole);
/// Moves the leases and nodes of a page to those that came before. True with the last page, which then is the whole.
bool assemble(Register& so_far, Register& part);

}  // namespace dmm
