// One ZeroMQ socket of the transport, with the options that all of them have, and the endpoints that it takes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "keys/key.hpp"
#include "links/peer.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct TransportSocket {
  zmq::socket_t zmq;
  int descriptor = -1;
  Connection connection = 0;  ///< 0 for the socket that listens
  bool hot = false;           ///< in HotSockets
  std::string held;           ///< a frame that waits for the connection, if `holds`
  bool holds = false;
  bool tried = false;  ///< whether it was tried to send it since the socket became hot
};

/// A socket that is neither bound nor connected. It disconnects a peer that sends more than `frame_bytes`. At its end
/// it waits for as long as `linger` for what was sent last.
std::unique_ptr<TransportSocket> make_socket(zmq::context_t& context, zmq::socket_type type,
                                             std::size_t frame_bytes, Duration linger);
/// Before a socket listens: refuses frames for connections that are gone, and gives strangers little time.
void set_listening_options(zmq::socket_t& socket);
/// A literal IPv6 address needs the option; names and IPv4 addresses work better without it.
void choose_family(zmq::socket_t& socket, const std::string& endpoint);
/// Before a socket is bound or connected: it proves the key of this secret.
void prove_with(zmq::socket_t& socket, const LinkSecret& secret);
/// Before a socket is connected: its far end has to prove this key.
void demand_key(zmq::socket_t& socket, const LinkKey& key);

bool is_tcp(const std::string& endpoint);
/// Whether the transport has endpoints of this kind: over tcp or ipc.
bool is_known_kind(const std::string& endpoint);

/// Why ZeroMQ didn't take an endpoint, by its error number.
std::string endpoint_fault(int error);

}  // namespace dmm
