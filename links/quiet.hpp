// Links on which both sides do nothing but beat: what a shell accounts for in their place (endpoint_quieting.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "links/stamps.hpp"
#include "protocol/hints.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// Beats on a link on which nothing else happens, as one side sends them: at `due`, and each `pause` after it.
struct QuietBeats {
  Instant due{};
  Duration pause;
  Stamp heard = no_stamp;  ///< the latest stamp that came, to be echoed until another comes
  Instant heard_at{};
  std::string heading;  ///< of each of them, and what else is the same in all
  std::uint64_t acknowledged = 0, last = 0;
  CapacityHint hint;
  bool measuring = false;  ///< the next echo that comes measures the round trip,
  bool talked = false;     ///< and the next one after the first of these beats
};

/// What has gone by over one direction of a quiet link.
struct QuietPast {
  std::uint64_t sent = 0, arrived = 0;
  Instant last_sent{}, last_arrived{};
  Stamp stamp = no_stamp, echo = no_stamp;  ///< in the last one that arrived
  struct Measured {
    Instant arrived{};
    Stamp echo = no_stamp;
  };
  std::vector<Measured> measured;  ///< those that measured the round trip
  bool measuring = false;          ///< the next that comes will,
  bool talked = false;             ///< or the next after our first
  std::uint64_t acknowledged = 0;  ///< in all that arrived
};

}  // namespace dmm
