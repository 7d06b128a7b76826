// The only user of ZeroMQ, beside zap.cpp and incoming_watch.cpp.
//
// The descriptor of a ZeroMQ socket becomes readable when *something* happened, and stays silent until all of that has
// been looked at. So a socket counts as hot from a sign of life, or from a call that may have swallowed one (a send),
// until a receive finds nothing. `wait` sleeps only when no socket is hot.
#include "runtime/transport.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <unordered_map>
#include <zmq.hpp>

#include "manager/assert.hpp"
#include "runtime/accounts.hpp"
#include "runtime/clock.hpp"
#include "runtime/incoming_watch.hpp"
#include "runtime/socket_lock.hpp"
#include "runtime/zap.hpp"

namespace dmm {
namespace {

int milliseconds_of(Duration length) { return static_cast<int>(length.microseconds / 1'000); }

/// The first is for a stranger; a party that we dial may take longer.
constexpr Duration handshake_limit = seconds(3), dialled_handshake_limit = seconds(5);

void set_common_options(zmq::socket_t& socket, const TransportSettings& settings) {
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(settings.frame_bytes));
  socket.set(zmq::sockopt::linger, milliseconds_of(settings.linger));
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

/// A literal IPv6 address needs the option; names and IPv4 addresses work better without it.
void choose_family(zmq::socket_t& socket, const std::string& endpoint) {
  socket.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
}

bool is_tcp(const std::string& endpoint) { return endpoint.starts_with("tcp://"); }
bool is_known_kind(const std::string& endpoint) { return is_tcp(endpoint) || endpoint.starts_with("ipc://"); }

template <class Key>
std::string_view as_bytes(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

/// On tcp, a listener proves a key on every connection: without a secret it has none.
constexpr const char* no_secret = "tcp takes keys, and there are none; see docs/security.md";

std::string text_of(int error) {
  switch (error) {
    case EADDRINUSE: return "port in use";
    case EADDRNOTAVAIL:
    case ENODEV: return "no such address on this machine";
    case EINVAL:
    case EPROTONOSUPPORT: return "not an endpoint; write tcp://host:port or ipc:///path";
    default: return zmq_strerror(error);
  }
}

}  // namespace

struct Transport::Inside {
  struct Socket {
    zmq::socket_t zmq;
    int descriptor = -1;
    Connection connection = 0;  ///< 0 for the socket that listens
    bool hot = false;
    std::string held;  ///< a frame that waits for the connection, if `holds`
    bool holds = false;
    bool tried = false;  ///< whether it was tried to send it since the socket became hot
  };

  /// A peer of the listening socket, by the routing id that ZeroMQ gave its connection.
  struct Incoming {
    std::string routing_id;
    std::list<Connection>::iterator use;  ///< its place in the order of use
    int descriptor = -1;                  ///< of the connection, as its last frame told
    std::string address = {}, user = {};  ///< of the far end, as ZeroMQ writes them
    Principal principal = Unproven{};     ///< as the address and the user say
  };

  TransportSettings settings;
  zmq::context_t context{1};
  int epoll = -1;
  std::vector<std::string> endpoints;
  std::vector<SocketLock> locks;

  ZapHandler zap{context};
  std::unique_ptr<Socket> listening;
  IncomingWatch watched;
  std::unordered_map<Connection, std::unique_ptr<Socket>> dialled;
  std::vector<Socket*> hot;
  std::size_t turn = 0;  ///< the next place in `hot`

  std::unordered_map<int, Socket*> by_descriptor;
  /// Sockets that are bound or connected next prove our key.
  void prove_with(Socket& socket) const {
    const LinkSecret& secret = *settings.link_secret;
    const LinkKey key = public_of(secret);
    socket.zmq.set(zmq::sockopt::curve_secretkey, as_bytes(secret.bytes()));
    socket.zmq.set(zmq::sockopt::curve_publickey, as_bytes(key.bytes));
  }

  void bind(const std::string& endpoint) {
    choose_family(listening->zmq, endpoint);
    listening->zmq.set(zmq::sockopt::curve_server, is_tcp(endpoint));
    if (is_tcp(endpoint)) prove_with(*listening);
    listening->zmq.bind(endpoint);
  }

  Connection last_connection = 0;
  std::unordered_map<std::string, Connection> by_routing_id;
  std::unordered_map<Connection, Incoming> incoming;
  std::list<Connection> by_use;  ///< the longest unused first

  AccountNames account_names;
  const Principal dialled_principal = Dialled{};

  std::vector<int> readable;
  zmq_msg_t message;  ///< the last that `receive` gave out
  std::string routing_id;

  explicit Inside(TransportSettings wanted)
      : settings(wanted), epoll(::epoll_create1(EPOLL_CLOEXEC)), watched(wanted.guard) {
    DMM_ASSERT(epoll >= 0);
    context.set(zmq::ctxopt::max_sockets, 8'192);
    zmq_msg_init(&message);
    watch(zap.descriptor());
  }

  ~Inside() {
    zmq_msg_close(&message);
    dialled.clear();
    watched.end();
    listening.reset();
    zap.close();
    context.close();  // waits for the linger
    ::close(epoll);
  }

  void heat(Socket& socket) {
    if (std::exchange(socket.hot, true)) return;
    hot.push_back(&socket);
  }
  void cool(Socket& socket) {
    if (!std::exchange(socket.hot, false)) return;
    socket.tried = false;
    std::erase(hot, &socket);
  }

  std::unique_ptr<Socket> make_socket(zmq::socket_type type) {
    auto socket = std::make_unique<Socket>();
    socket->zmq = zmq::socket_t(context, type);
    set_common_options(socket->zmq, settings);
    socket->descriptor = socket->zmq.get(zmq::sockopt::fd);
    return socket;
  }

  void watch(int descriptor) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    DMM_ASSERT(::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0);
  }
  void watch(Socket& socket) {
    watch(socket.descriptor);
    by_descriptor[socket.descriptor] = &socket;
    heat(socket);
  }

  /// The connection with this routing id; a new one at its first frame.
  Connection connection_of(const std::string& id) {
    if (const auto known = by_routing_id.find(id); known != by_routing_id.end()) {
      touch(incoming.at(known->second));
      return known->second;
    }
    if (incoming.size() >= settings.connections_max) forget(by_use.front());
    const Connection connection = ++last_connection;
    by_routing_id.emplace(id, connection);
    incoming.emplace(connection, Incoming{id, by_use.insert(by_use.end(), connection)});
    return connection;
  }
  void touch(Incoming& peer) { by_use.splice(by_use.end(), by_use, peer.use); }
  void forget(Connection connection) {
    const auto peer = incoming.find(connection);
    if (peer == incoming.end()) return;
    by_routing_id.erase(peer->second.routing_id);
    by_use.erase(peer->second.use);
    incoming.erase(peer);
  }

  /// Notes by which descriptor a frame of this connection came.
  void note_source(Connection connection) {
    const int descriptor = zmq_msg_get(&message, ZMQ_SRCFD);
    if (descriptor < 0) return;
    watched.heard(monotonic_now(), descriptor, connection);
    incoming.at(connection).descriptor = descriptor;
  }

  /// What is proved of the frame's sender. Checked at each frame: another connection may take over a routing id.
  const Principal& principal_of(Connection connection) {
    Incoming& peer = incoming.at(connection);
    const char* const address = zmq_msg_gets(&message, "Peer-Address");
    const char* const user = zmq_msg_gets(&message, "User-Id");
    const std::string_view seen_address = address != nullptr ? address : "",
                           seen_user = user != nullptr ? user : "";
    if (peer.address == seen_address && peer.user == seen_user) return peer.principal;
    peer.address = seen_address;
    peer.user = seen_user;
    return peer.principal = dmm::principal_of(peer.address, peer.user, account_names);
  }

  bool receive_part(Socket& socket) { return zmq_msg_recv(&message, socket.zmq.handle(), ZMQ_DONTWAIT) >= 0; }
  bool receive_from(Socket& socket, Arrival& arrival);
  bool send_to_incoming(Connection connection, std::string_view frame);
  bool send_to_dialled(Socket& socket, std::string_view frame);
  void send_held(Socket& socket);
};

Transport::Transport(TransportSettings settings) : inside_(std::make_unique<Inside>(settings)) {}
Transport::~Transport() = default;

// ---- endpoints -----------------------------------------------------------------------------------------------------

std::string Transport::listen(const std::string& endpoint) {
  Inside& in = *inside_;
  const auto fault = [&](const std::string& why) { return "cannot listen at " + endpoint + ": " + why; };
  if (!is_known_kind(endpoint)) return fault(text_of(EINVAL));
  if (is_tcp(endpoint) && !in.settings.link_secret) return fault(no_secret);
  SocketLock lock;
  if (const std::string path = SocketLock::path_of(endpoint); !path.empty())
    if (const std::string held = lock.acquire(path); !held.empty()) return fault(held);
  try {
    if (!in.listening) {
      in.listening = in.make_socket(zmq::socket_type::router);
      in.listening->zmq.set(zmq::sockopt::router_mandatory, true);
      in.listening->zmq.set(zmq::sockopt::backlog, 1'024);
      in.listening->zmq.set(zmq::sockopt::handshake_ivl, milliseconds_of(handshake_limit));
      in.watched.begin(in.context, in.listening->zmq);
      in.watch(in.watched.descriptor());
      in.watch(*in.listening);
    }
    in.bind(endpoint);
    in.endpoints.push_back(in.listening->zmq.get(zmq::sockopt::last_endpoint));
  } catch (const zmq::error_t& error) {
    return fault(text_of(error.num()));
  }
  in.locks.push_back(std::move(lock));
  in.heat(*in.listening);
  return {};
}

/// Listens again. ZeroMQ closes the old listener in a thread of its own, and until then the port is in use.
std::string Transport::relisten() {
  constexpr int tries_max = 100;
  Inside& in = *inside_;
  for (const std::string& endpoint : in.endpoints) {
    if (!is_tcp(endpoint)) continue;
    zmq_unbind(in.listening->zmq.handle(), endpoint.c_str());
    for (int tries = 1;; ++tries) try {
        in.bind(endpoint);
        break;
      } catch (const zmq::error_t& error) {
        if (error.num() != EADDRINUSE || tries == tries_max)
          return "cannot listen at " + endpoint + ": " + text_of(error.num());
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
  const auto fault = [&](int error) { return why_not(text_of(error)); };
  if (!is_known_kind(endpoint)) return fault(EINVAL);
  const auto [place, key] = place_and_key(endpoint);
  if (is_tcp(endpoint) && !key) return why_not("it names no key; expected tcp://host:port#KEY");
  if (is_tcp(endpoint) && !in.settings.link_secret) return why_not(no_secret);
  try {
    auto socket = in.make_socket(zmq::socket_type::dealer);
    // Frames for a peer that isn't there are refused and not queued. Otherwise an hour of repeated Hellos would all be
    // delivered, and answered, when the peer comes back.
    socket->zmq.set(zmq::sockopt::immediate, true);
    choose_family(socket->zmq, place);
    if (is_tcp(place)) {
      in.prove_with(*socket);
      socket->zmq.set(zmq::sockopt::curve_serverkey, as_bytes(key->bytes));
    }
    socket->zmq.connect(place);
    socket->connection = ++in.last_connection;
    in.watch(*socket);
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
    if (const auto peer = in.incoming.find(connection); peer != in.incoming.end())
      in.watched.hang_up(connection, peer->second.descriptor);
    return in.forget(connection);
  }
  in.cool(*found->second);
  ::epoll_ctl(in.epoll, EPOLL_CTL_DEL, found->second->descriptor, nullptr);
  in.by_descriptor.erase(found->second->descriptor);
  in.dialled.erase(found);
}

// ---- frames --------------------------------------------------------------------------------------------------------

bool Transport::Inside::send_to_incoming(Connection connection, std::string_view frame) {
  const auto peer = incoming.find(connection);
  if (peer == incoming.end() || !listening) return false;
  heat(*listening);
  touch(peer->second);
  void* const socket = listening->zmq.handle();
  const std::string& id = peer->second.routing_id;
  if (zmq_send(socket, id.data(), id.size(), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
    if (zmq_errno() == EHOSTUNREACH) forget(connection);
    return false;
  }
  return zmq_send(socket, frame.data(), frame.size(), ZMQ_DONTWAIT) >= 0;
}

bool Transport::Inside::send_to_dialled(Socket& socket, std::string_view frame) {
  heat(socket);
  return zmq_send(socket.zmq.handle(), frame.data(), frame.size(), ZMQ_DONTWAIT) >= 0;
}

void Transport::Inside::send_held(Socket& socket) {
  if (!send_to_dialled(socket, socket.held)) return;
  socket.holds = false;
  socket.held.clear();
}

bool Transport::send(Connection connection, std::string_view frame) {
  Inside& in = *inside_;
  if (frame.size() > in.settings.frame_bytes) return false;  // the peer would hang up, at every resend
  const auto found = in.dialled.find(connection);
  if (found == in.dialled.end()) return in.send_to_incoming(connection, frame);
  Inside::Socket& socket = *found->second;
  if (in.send_to_dialled(socket, frame)) return true;
  const bool first = !std::exchange(socket.holds, true);
  socket.held = frame;
  return first;
}

bool Transport::Inside::receive_from(Socket& socket, Arrival& arrival) {
  if (!receive_part(socket)) return false;
  arrival = {socket.connection, {}, {}, &dialled_principal};
  if (&socket == listening.get()) {
    routing_id.assign(static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message));
    arrival.connection = connection_of(routing_id);
    if (zmq_msg_more(&message) == 0 || !receive_part(socket)) return arrival.refusal = "multipart", true;
    note_source(arrival.connection);
    arrival.principal = &principal_of(arrival.connection);
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
  while (!in.hot.empty()) {
    if (in.turn >= in.hot.size()) in.turn = 0;
    Inside::Socket& socket = *in.hot[in.turn];
    if (in.receive_from(socket, arrival)) {
      ++in.turn;
      return true;
    }
    // Nothing is there, and all signs of life are looked at. The connection may be made now, so send the held frame.
    // Sending may swallow a sign of life, so look at the socket once more.
    if (socket.holds && !std::exchange(socket.tried, true))
      in.send_held(socket);
    else
      in.cool(socket);
  }
  return false;
}

// ---- waiting -------------------------------------------------------------------------------------------------------

void Transport::watch(int descriptor) { inside_->watch(descriptor); }

bool Transport::wait(Duration at_most) {
  Inside& in = *inside_;
  in.readable.clear();
  // Rounded up, so that a caller doesn't wake just before its deadline.
  const std::int64_t milliseconds = std::clamp<std::int64_t>((at_most.microseconds + 999) / 1'000, 0, 3'600'000);
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(in.epoll, events.data(), static_cast<int>(events.size()),
                                 in.hot.empty() ? static_cast<int>(milliseconds) : 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    if (const auto socket = in.by_descriptor.find(descriptor); socket != in.by_descriptor.end())
      in.heat(*socket->second);
    else if (descriptor == in.zap.descriptor())
      in.zap.answer();
    else if (descriptor == in.watched.descriptor())
      in.watched.take(monotonic_now());
    else
      in.readable.push_back(descriptor);
  }
  return count > 0 || !in.hot.empty();
}

bool Transport::readable(int descriptor) const {
  return std::find(inside_->readable.begin(), inside_->readable.end(), descriptor) != inside_->readable.end();
}

// ---- harm ----------------------------------------------------------------------------------------------------------

std::size_t Transport::guard(Instant now, const std::function<bool(Connection)>& is_needed) {
  return inside_->watched.begun() ? inside_->watched.cut(now, is_needed) : 0;
}

bool Transport::guard_is_urgent() const { return inside_->watched.is_urgent(); }

bool Transport::has_incoming() const { return !inside_->watched.empty() || !inside_->incoming.empty(); }

std::size_t Transport::incoming() const { return inside_->incoming.size(); }

}  // namespace dmm
