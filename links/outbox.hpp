// What comes out of an endpoint until the shell takes it: frames, connections to open and to close, and what the
// manager and the log are to hear.
#pragma once

#include <string>
#include <vector>

#include "links/peer.hpp"
#include "manager/contract.hpp"

namespace dmm {

/// A frame to put on a connection.
struct Frame {
  Connection connection = 0;
  std::string bytes;
};

/// A connection that the endpoint would like: the shell opens it and calls `dial`.
struct DialWanted {
  Party peer;
  std::string endpoint;
};

struct Outbox {
  std::vector<Frame> frames;
  std::vector<DialWanted> dials;
  std::vector<Connection> hangups;
  std::vector<LinkEvent> link_events;
  std::vector<LogEvent> notices;
  std::vector<Connection> stirred;  ///< connections that can be quiet no longer
};

}  // namespace dmm
