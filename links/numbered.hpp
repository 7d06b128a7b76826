// Which messages a session numbers, keeps and sends again.
#pragma once

#include "protocol/messages.hpp"

namespace dmm {

/// A relayed frame is numbered in the session that it is a part of, not on the links that it passes: what is lost on
/// the way is sent again end to end, and no site keeps it. A piece of output is asked for again by whoever misses it.
constexpr bool is_numbered(std::uint16_t type) {
  return type != Hello::type && type != Beat::type && type != Fault::type && type != Relay::type &&
         type != Piece::type;
}

}  // namespace dmm
