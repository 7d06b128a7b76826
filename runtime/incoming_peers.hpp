// The peers of the listening socket: which connection has which routing id of ZeroMQ's, and what is proved of its far
// end. Beyond a bounded number, the connection that was unused for longest is forgotten.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "keys/principal.hpp"
#include "links/peer.hpp"
#include "runtime/accounts.hpp"

namespace dmm {

/// A peer of the listening socket, by the routing id that ZeroMQ gave its connection.
struct IncomingPeer {
  Connection connection = 0;
  std::string routing_id;
  std::list<Connection>::iterator use;  ///< its place in the order of use
  int descriptor = -1;                  ///< of the connection, as its first frame since `heard_at` told
  Instant heard_at{};                   ///< the transport's last wake before its last frame
  std::string address = {}, user = {};  ///< of the far end, as ZeroMQ writes them
  Principal principal = Unproven{};     ///< as the address and the user say
};

class IncomingPeers {
 public:
  explicit IncomingPeers(std::size_t most) : most_(most) {}

  /// The peer with this routing id, which is in use now; a new one at its first frame, of the connection with the
  /// number after `last`. Valid until the next call.
  IncomingPeer& sender_of(const std::string& routing_id, Connection& last);
  /// The peer of a connection; null if that is forgotten, or was dialled.
  IncomingPeer* find(Connection connection);
  /// The connection is used: it is the last to be forgotten.
  void touch(IncomingPeer& peer) { by_use_.splice(by_use_.end(), by_use_, peer.use); }
  /// What is proved of a frame's sender, by the address and the user that came with the frame. Checked at each frame:
  /// another connection may take over a routing id.
  const Principal& principal_of(IncomingPeer& peer, std::string_view address, std::string_view user);
  void forget(Connection connection);
  std::size_t size() const { return peers_.size(); }

 private:
  std::size_t most_;
  std::unordered_map<std::string, IncomingPeer*> by_routing_id_;
  std::unordered_map<Connection, IncomingPeer> peers_;
  std::list<Connection> by_use_;  ///< the longest unused first
  AccountNames account_names_;
};

}  // namespace dmm
