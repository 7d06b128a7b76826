// The handler of ZAP (ZeroMQ's RFC 27): for each handshake over tcp, ZeroMQ asks whether the far end may come in.
// Every proved key may: the certificate in its Hello decides what it may say (links/trust.hpp). The answer makes
// the key the "User-Id" of each message of the connection. Without a handler ZeroMQ would tell no key.
#pragma once

#include <zmq.hpp>

namespace dmm {

class ZapHandler {
 public:
  explicit ZapHandler(zmq::context_t& context);

  /// Readable when there may be something to answer.
  int descriptor() const { return descriptor_; }
  /// Answers what was asked.
  void answer();
  /// The last call: the context waits until all of its sockets are closed.
  void close() { socket_.close(); }

 private:
  zmq::socket_t socket_;
  int descriptor_;
};

}  // namespace dmm
