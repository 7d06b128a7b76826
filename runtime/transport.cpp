// The transport's state, and what it does with a frame. Beside it, zap.cpp, incoming_watch.cpp and transport_socket.cpp
// use ZeroMQ.
#include "runtime/transport.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>
#include <zmq.hpp>

#include "runtime/clock.hpp"
#include "runtime/hot_sockets.hpp"
#include "runtime/incoming_peers.hpp"
#include "runtime/incoming_watch.hpp"
#include "runtime/socket_lock.hpp"
#include "runtime/transport_socket.hpp"
#include "runtime/zap.hpp"

namespace dmm {
namespace {

/// On tcp, a listener proves a key on every connection: without a secret it has none.
constexpr const char* no_secret = "tcp needs keys, and there are none; see docs/security.md";

}  // namespace

struct Transport::Inside {
  TransportSettings settings;
  zmq::context_t context{1};
  std::vector<std::string> endpoints;
  std::vector<SocketLock> locks;

  HotSockets sockets;
  ZapHandler zap{context};
  std::unique_ptr<TransportSocket> listening;
  IncomingWatch watched;
  std::unordered_map<Connection, std::unique_ptr<TransportSocket>> dialled;
  IncomingPeers incoming;
  Connection last_connection = 0;
  Instant woke_at = monotonic_now();  ///< at the last `wait`: a clock read at each frame costs too much
  const Principal dialled_principal = Dialled{};

  std::vector<int> readable;
  zmq_msg_t message;  ///< the last that `receive` gave out
  std::string routing_id;

  explicit Inside(TransportSettings wanted)
      : settings(wanted), watched(wanted.guard), incoming(wanted.connections_max) {
    context.set(zmq::ctxopt::max_sockets, 8'192);
    zmq_msg_init(&message);
    sockets.watch(zap.descriptor());
  }

  ~Inside() {
    zmq_msg_close(&message);
    dialled.clear();
    watched.end();
    listening.reset();
    zap.close();
    context.close();  // waits for the linger
  }

  std::unique_ptr<TransportSocket> make(zmq::socket_type type) {
    return make_socket(context, type, settings.frame_bytes, settings.linger);
  }

  void bind(const std::string& endpoint) {
    choose_family(listening->zmq, endpoint);
    listening->zmq.set(zmq::sockopt::curve_server, is_tcp(endpoint));
    if (is_tcp(endpoint)) dmm::prove_with(listening->zmq, *settings.link_secret);
    listening->zmq.bind(endpoint);
  }

  /// Notes by which descriptor the frame of a connection came, and returns what is proved of its sender.
  const Principal& principal_of(IncomingPeer& peer) {
    // ZeroMQ looks each of these up by its name. The descriptor changes only with the connection.
    if (std::exchange(peer.heard_at, woke_at) != woke_at) peer.descriptor = zmq_msg_get(&message, ZMQ_SRCFD);
    if (peer.descriptor >= 0) watched.heard(woke_at, peer.descriptor, peer.connection);
    const char* const address = zmq_msg_gets(&message, "Peer-Address");
    if (address != nullptr && is_ipc_peer(address)) return incoming.principal_of(peer, address, {});
    const char* const user = zmq_msg_gets(&message, "User-Id");  // over ipc a peer could name any itself
    return incoming.principal_of(peer, address != nullptr ? address : "", user != nullptr ? user : "");
  }

  bool receive_part(TransportSocket& socket) {
    return zmq_msg_recv(&message, socket.zmq.handle(), ZMQ_DONTWAIT) >= 0;
  }
  bool receive_from(TransportSocket& socket, Arrival& arrival);
  bool send_to_incoming(Connection connection, std::string_view frame);
  bool send_to_dialled(TransportSocket& socket, std::string_view frame);
  void send_held(TransportSocket& socket);
};

Transport::Transport(TransportSettings settings) : inside_(std::make_unique<Inside>(settings)) {}
Transport::~Transport() = default;

// ---- endpoints -----------------------------------------------------------------------------------------------------

std::string Transport::listen(const std::string& endpoint) {
  Inside& in = *inside_;
  const auto fault = [&](const std::string& why) { return "cannot listen at " + endpoint + ": " + why; };
  if (!is_known_kind(endpoint)) return fault(endpoint_fault(EINVAL));
  if (is_tcp(endpoint) && !in.settings.link_secret) return fault(no_secret);
  SocketLock lock;
  if (const std::string path = SocketLock::path_of(endpoint); !path.empty())
    if (const std::string held = lock.acquire(path); !held.empty()) return fault(held);
  try {
    if (!in.listening) {
      in.listening = in.make(zmq::socket_type::router);
      set_listening_options(in.listening->zmq);
      in.watched.begin(in.context, in.listening->zmq);
      in.sockets.watch(in.watched.descriptor());
      in.sockets.add(*in.listening);
    }
    in.bind(endpoint);
    in.endpoints.push_back(in.listening->zmq.get(zmq::sockopt::last_endpoint));
  } catch (const zmq::error_t& error) {
    return fault(endpoint_fault(error.num()));
  }
  in.locks.push_back(std::move(lock));
  in.sockets.heat(*in.listening);
  return {};
}

/// Listens again. ZeroMQ closes the old listener in a thread of its own, and until then the port is in use.
std::string Transport::relisten() {
  constexpr int tries_max = 100;
  Inside& in = *inside_;
  for (const std::string& endpoint : in.endpoints) {
    if (!is_tcp(endpoint)) continue;
    zmq_unbind(in.listening->zmq.handle(), endpoint.c_str());
    // Unbinding and binding take the socket's signs of life: frames that came meanwhile are to be looked for.
    in.sockets.heat(*in.listening);
    for (int tries = 1;; ++tries) try {
        in.bind(endpoint);
        break;
      } catch (const zmq::error_t& error) {
        if (error.num() != EADDRINUSE || tries == tries_max)
          return "cannot listen at " + endpoint + ": " + endpoint_fault(error.num());
        ::poll(nullptr, 0, 10);
      }
  }
  return {};
}

const std::vector<std::string>& Transport::endpoints() const { return inside_->endpoints; }

void Transport::prove_with(const LinkSecret& secret) { inside_->settings.link_secret = secret; }

std::string Transport::published(const std::string& endpoint) const {
  if (!is_tcp(endpoint) || !inside_->settings.link_secret) return endpoint;
  return endpoint + key_mark + to_text(public_of(*inside_->settings.link_secret));
}

OrFault<Connection, TransportFault> Transport::dial(const std::string& endpoint) {
  Inside& in = *inside_;
  const auto why_not = [&](const std::string& why) {
    return TransportFault{"cannot connect to " + endpoint + ": " + why};
  };
  const auto fault = [&](int error) { return why_not(endpoint_fault(error)); };
  if (!is_known_kind(endpoint)) return fault(EINVAL);
  const auto [place, key] = place_and_key(endpoint);
  if (is_tcp(endpoint) && !key) return why_not("it names no key; expected tcp://host:port#KEY");
  if (is_tcp(endpoint) && !in.settings.link_secret) return why_not(no_secret);
  try {
    auto socket = in.make(zmq::socket_type::dealer);
    // Frames for a peer that isn't there are refused and not queued. Otherwise an hour of repeated Hellos would all be
    // delivered, and answered, when the peer comes back.
    socket->zmq.set(zmq::sockopt::immediate, true);
    choose_family(socket->zmq, place);
    if (is_tcp(place)) {
      dmm::prove_with(socket->zmq, *in.settings.link_secret);
      demand_key(socket->zmq, *key);
    }
    socket->zmq.connect(place);
    socket->connection = ++in.last_connection;
    in.sockets.add(*socket);
    const Connection connection = socket->connection;
    in.dialled.emplace(connection, std::move(socket));
    return connection;
  } catch (const zmq::error_t& error) {
    return fault(error.num());
  }
}

void Transport::hangup(Connection connection) {
  Inside& in = *inside_;
  const auto found = in.dialled.find(connection);
  if (found == in.dialled.end()) {
    if (const IncomingPeer* const peer = in.incoming.find(connection))
      in.watched.hang_up(connection, peer->descriptor);
    return in.incoming.forget(connection);
  }
  in.sockets.remove(*found->second);
  in.dialled.erase(found);
}

// ---- frames --------------------------------------------------------------------------------------------------------

bool Transport::Inside::send_to_incoming(Connection connection, std::string_view frame) {
  IncomingPeer* const peer = incoming.find(connection);
  if (!peer || !listening) return false;
  sockets.heat(*listening);
  incoming.touch(*peer);
  void* const socket = listening->zmq.handle();
  const std::string& id = peer->routing_id;
  if (zmq_send(socket, id.data(), id.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
    if (zmq_errno() == EHOSTUNREACH) incoming.forget(connection);
    return false;
  }
  return zmq_send(socket, frame.data(), frame.size(), ZMQ_DONTWAIT) >= 0;
}

bool Transport::Inside::send_to_dialled(TransportSocket& socket, std::string_view frame) {
  sockets.heat(socket);
  return zmq_send(socket.zmq.handle(), frame.data(), frame.size(), ZMQ_DONTWAIT) >= 0;
}

void Transport::Inside::send_held(TransportSocket& socket) {
  if (!send_to_dialled(socket, socket.held)) return;
  socket.holds = false;
  socket.held.clear();
}

bool Transport::send(Connection connection, std::string_view frame) {
  Inside& in = *inside_;
  if (frame.size() > in.settings.frame_bytes) return false;  // the peer would hang up, at every resend
  const auto found = in.dialled.find(connection);
  if (found == in.dialled.end()) return in.send_to_incoming(connection, frame);
  TransportSocket& socket = *found->second;
  if (in.send_to_dialled(socket, frame)) return true;
  const bool first = !std::exchange(socket.holds, true);
  socket.held = frame;
  return first;
}

bool Transport::Inside::receive_from(TransportSocket& socket, Arrival& arrival) {
  if (!receive_part(socket)) return false;
  arrival = {socket.connection, {}, {}, &dialled_principal};
  if (&socket == listening.get()) {
    routing_id.assign(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
    IncomingPeer& peer = incoming.sender_of(routing_id, last_connection);
    arrival.connection = peer.connection;
    if (zmq_msg_more(&message) == 0 || !receive_part(socket)) return arrival.refusal = "multipart", true;
    arrival.principal = &principal_of(peer);
  }
  if (zmq_msg_more(&message) == 0) {
    arrival.bytes = {static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message)};
    return true;
  }
  while (zmq_msg_more(&message) != 0)
    if (!receive_part(socket)) break;
  arrival.refusal = "multipart";
  return true;
}

bool Transport::receive(Arrival& arrival) {
  Inside& in = *inside_;
  while (!in.sockets.empty()) {
    TransportSocket& socket = in.sockets.next();
    if (in.receive_from(socket, arrival)) {
      in.sockets.pass_turn();
      return true;
    }
    // Nothing is there, and all signs of life are looked at. The connection may be made now, so send the held frame.
    // Sending may swallow a sign of life, so look at the socket once more.
    if (socket.holds && !std::exchange(socket.tried, true))
      in.send_held(socket);
    else
      in.sockets.cool(socket);
  }
  return false;
}

// ---- waiting -------------------------------------------------------------------------------------------------------

void Transport::watch(int descriptor) { inside_->sockets.watch(descriptor); }

bool Transport::wait(Duration at_most) {
  Inside& in = *inside_;
  in.readable.clear();
  const bool happened = in.sockets.wait(at_most, in.readable);
  in.woke_at = monotonic_now();
  for (const int descriptor : in.readable) {
    if (descriptor == in.zap.descriptor()) in.zap.answer();
    if (descriptor == in.watched.descriptor()) in.watched.take(in.woke_at);
  }
  return happened;
}

bool Transport::readable(int descriptor) const {
  return std::find(inside_->readable.begin(), inside_->readable.end(), descriptor) != inside_->readable.end();
}

// ---- harm ----------------------------------------------------------------------------------------------------------

std::size_t Transport::guard(Instant now, const std::function<bool(Connection)>& is_needed) {
  return inside_->watched.begun() ? inside_->watched.cut(now, is_needed) : 0;
}

bool Transport::guard_is_urgent() const { return inside_->watched.is_urgent(); }

bool Transport::has_incoming() const { return !inside_->watched.empty() || inside_->incoming.size() > 0; }

std::size_t Transport::incoming() const { return inside_->incoming.size(); }

}  // namespace dmm
