// The connections that others opened to a listening socket: which there are, as a monitor of ZeroMQ tells, which
// carried a frame, and which are cut (connection_guard.hpp).
//
// ZeroMQ tells descriptors, and uses a descriptor again as soon as its connection is closed. What is to be cut is
// therefore compared with the socket that was accepted: the kernel numbers sockets for ever (SO_COOKIE). ZeroMQ
// closes what is shut down under it, with all that it has kept of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <zmq.hpp>

#include "links/endpoint.hpp"
#include "protocol/time.hpp"
#include "runtime/connection_guard.hpp"

namespace dmm {

class IncomingWatch {
 public:
  explicit IncomingWatch(ConnectionGuard::Settings settings) : settings_(settings), guard_(settings) {}
  ~IncomingWatch();
  IncomingWatch(const IncomingWatch&) = delete;
  IncomingWatch& operator=(const IncomingWatch&) = delete;

  /// Begins, before the socket listens. Takes what the process may open as the measure.
  void begin(zmq::context_t& context, zmq::socket_t& listening);
  void end() { monitor_.close(); }
  bool begun() const { return monitor_.handle() != nullptr; }
  /// Readable when connections may have come or gone: `take` is to be called then. ZeroMQ accepts no more than
  /// some thousand connections before they are taken.
  int descriptor() const { return descriptor_; }
  void take(Instant now);

  /// A frame of this connection came by this descriptor.
  void heard(Instant now, int descriptor, Connection connection);
  /// Closes the connection, if its descriptor is known.
  void hang_up(Connection connection, int descriptor);

  bool is_urgent() const { return guard_.is_urgent(); }
  bool empty() const { return guard_.empty(); }
  /// Cuts what does harm; how many.
  std::size_t cut(Instant now, const std::function<bool(Connection)>& is_needed);

 private:
  void exhausted();
  bool shut_down(int descriptor);

  ConnectionGuard::Settings settings_;
  ConnectionGuard guard_;
  zmq::socket_t monitor_;
  int descriptor_ = -1;
  int spare_ = -1;  ///< for a connection that is to be cut when no descriptor is left
  std::unordered_map<int, Connection> connection_by_;  ///< by descriptor, of those that carried a frame
};

}  // namespace dmm
