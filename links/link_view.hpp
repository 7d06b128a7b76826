// What an endpoint tells people of its links: the state of each session, and counters since its start.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "keys/key.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What was counted since the start.
struct EndpointCounters {
  std::map<std::uint16_t, std::uint64_t> sent;      ///< by message type
  std::map<std::uint16_t, std::uint64_t> received;  ///< by message type
  std::array<std::uint64_t, message_kinds> sent_by_kind{};
  std::map<std::string, std::uint64_t> refused;  ///< by reason: FrameFault, "multipart", "not_admitted", ...
  std::uint64_t resent = 0;
  std::uint64_t duplicates = 0;
};

/// State of one session, for people.
struct LinkView {
  Party peer;
  bool up = false;
  bool relayed = false;
  bool dormant = false;  ///< nothing is under way, so nothing is heard
  std::string software;  ///< version of the peer's program
  std::uint64_t incarnation = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::size_t unacknowledged = 0;
  std::size_t kept_bytes = 0;  ///< that these take
  std::uint32_t given_up = 0;  ///< how often the session was begun again since too much was kept
  Duration round_trip;         ///< 0: not known
  Instant heard{};
  std::optional<LinkKey> link_key;  ///< that its certificate proved
  std::int64_t proved_until = 0;    ///< when its certificate ends, in seconds since 1970; 0: it showed none
  std::string last_error;
};

}  // namespace dmm
