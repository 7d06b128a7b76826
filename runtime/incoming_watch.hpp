// The connections that peers opened to a listening socket. A monitor of ZeroMQ tells which there are. The watch notes
// which of them carried a frame, and cuts those that connection_guard.hpp decides on.
//
// ZeroMQ tells descriptors, and uses a descriptor again as soon as its connection is closed. So before a connection is
// cut, its socket is compared with the one that was accepted: the kernel never uses the number of a socket again
// (SO_COOKIE). When a socket is shut down under ZeroMQ, ZeroMQ closes it and frees all that it has kept of it.
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

  /// Begins, before the socket listens. The limits follow from the descriptors that the process may open.
  void begin(zmq::context_t& context, zmq::socket_t& listening);
  void end() { monitor_.close(); }
  bool begun() const { return monitor_.handle() != nullptr; }
  /// Readable when connections may have come or gone: call `take` then. ZeroMQ accepts no more than some thousand
  /// connections before that.
  int descriptor() const { return descriptor_; }
  void take(Instant now);

  /// A frame of this connection came by this descriptor.
  void heard(Instant now, int descriptor, Connection connection);
  /// Closes the connection, if its descriptor is known.
  void hang_up(Connection connection, int descriptor);

  bool is_urgent() const { return guard_.is_urgent(); }
  bool empty() const { return guard_.empty(); }
  /// Cuts the connections that do harm. Returns their number.
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
