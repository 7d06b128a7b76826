#include "runtime/transport_socket.hpp"

#include <cerrno>
#include <cstdint>
#include <string_view>

namespace dmm {
namespace {

int milliseconds_of(Duration length) { return static_cast<int>(length.microseconds / 1'000); }

/// The first is for a stranger; a party that we dial may take longer.
constexpr Duration handshake_limit = seconds(3), dialled_handshake_limit = seconds(5);

void set_common_options(zmq::socket_t& socket, std::size_t frame_bytes, Duration linger) {
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(frame_bytes));
  socket.set(zmq::sockopt::linger, milliseconds_of(linger));
  socket.set(zmq::sockopt::handshake_ivl, milliseconds_of(dialled_handshake_limit));
  socket.set(zmq::sockopt::reconnect_ivl, 50);
  socket.set(zmq::sockopt::reconnect_ivl_max, 2'000);
  socket.set(zmq::sockopt::connect_timeout, 5'000);
  // Sessions beat, so something is always on its way. A peer that acknowledges nothing for this long is gone; TCP alone
  // would notice after a quarter of an hour.
  socket.set(zmq::sockopt::tcp_maxrt, 10'000);
  // A dormant session sends nothing for hours: these heartbeats notice that the other end is gone.
  socket.set(zmq::sockopt::heartbeat_ivl, 10'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 30'000);
  socket.set(zmq::sockopt::heartbeat_ttl, 60'000);
  socket.set(zmq::sockopt::sndhwm, 10'000);
  socket.set(zmq::sockopt::rcvhwm, 10'000);
}

template <class Key>
std::string_view as_bytes(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

}  // namespace

std::unique_ptr<TransportSocket> make_socket(zmq::context_t& context, zmq::socket_type type,
                                             std::size_t frame_bytes, Duration linger) {
  auto socket = std::make_unique<TransportSocket>();
  socket->zmq = zmq::socket_t(context, type);
  set_common_options(socket->zmq, frame_bytes, linger);
  socket->descriptor = socket->zmq.get(zmq::sockopt::fd);
  return socket;
}

void set_listening_options(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::router_mandatory, true);
  socket.set(zmq::sockopt::backlog, 1'024);
  socket.set(zmq::sockopt::handshake_ivl, milliseconds_of(handshake_limit));
}

void choose_family(zmq::socket_t& socket, const std::string& endpoint) {
  socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
}

void prove_with(zmq::socket_t& socket, const LinkSecret& secret) {
  const LinkKey key = public_of(secret);
  socket.set(zmq::sockopt::curve_secretkey, as_bytes(secret.bytes()));
  socket.set(zmq::sockopt::curve_publickey, as_bytes(key.bytes));
}

void demand_key(zmq::socket_t& socket, const LinkKey& key) {
  socket.set(zmq::sockopt::curve_serverkey, as_bytes(key.bytes));
}

bool is_tcp(const std::string& endpoint) { return endpoint.starts_with("tcp://"); }
bool is_known_kind(const std::string& endpoint) { return is_tcp(endpoint) || endpoint.starts_with("ipc://"); }

std::string endpoint_fault(int error) {
  switch (error) {
    case EADDRINUSE: return "port in use";
    case EADDRNOTAVAIL:
    case ENODEV: return "no such address on this machine";
    case EINVAL:
    case EPROTONOSUPPORT: return "not an endpoint; write tcp://host:port or ipc:///path";
    default: return zmq_strerror(error);
  }
}

}  // namespace dmm
