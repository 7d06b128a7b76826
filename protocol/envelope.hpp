// The one envelope around every message: sender and receiver with their incarnations, numbers for the session, the
// request that the message is about, and the sender's capacity hint (docs/protocol.md section 4).
#pragma once

#include <cstdint>

#include "protocol/hints.hpp"
#include "protocol/ids.hpp"
#include "protocol/messages.hpp"

namespace dmm {

constexpr std::uint8_t protocol_version = 1;

struct Envelope {
  std::uint8_t version = protocol_version;
  Party from;
  Party to;
  std::uint64_t incarnation = 0;   ///< the sender's; grows at each of its starts
  std::uint64_t peer = 0;          ///< the receiver's, as the sender knows it; 0 if it doesn't
  std::uint64_t sequence = 0;      ///< from 1 in each session; 0 for what is not numbered (protocol/verbs.hpp)
  std::uint64_t acknowledged = 0;  ///< the highest sequence number delivered from the receiver
  RequestId trace;                 ///< the request that the message is about, if any
  CapacityHint hint;               ///< empty: unchanged since the last one on this link
  Message message;
};

}  // namespace dmm
