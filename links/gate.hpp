// Which role may say what to which role: the table that every message passes before a machine sees it
// (docs/protocol.md section 3 prints it).
#pragma once

#include <cstdint>

#include "protocol/ids.hpp"

namespace dmm {

/// Whether a party of role `from` may send a message of this type to one of role `to`.
bool may_send(std::uint16_t type, Role from, Role to);

}  // namespace dmm
