// The handler of ZAP (ZeroMQ's RFC 27): for each handshake over tcp, ZeroMQ asks whether to accept the far end. Every
// proved key is accepted: the certificate in its Hello decides what the far end may send (links/trust.hpp). The answer
// makes the key the "User-Id" of each message of the connection. Without a handler, ZeroMQ doesn't tell the key.
#pragma once

#include <zmq.hpp>

namespace dmm {

class ZapHandler {
 public:
  explicit ZapHandler(zmq::context_t& context);

  /// Readable when there may be requests.
  int descriptor() const { return descriptor_; }
  /// Answers all waiting requests.
  void answer();
  /// The last call: the context waits until all of its sockets are closed.
  void close() { socket_.close(); }

 private:
  zmq::socket_t socket_;
  int descriptor_;
};

}  // namespace dmm
