// Sockets: one ZeroMQ ROUTER that listens at all endpoints of a daemon, and one DEALER for each connection that it
// opens. The transport numbers the connections and carries whole frames, without reading them. It isn't reliable: a
// frame may be lost with its connection, and the sessions above send it again (docs/protocol.md section 2).
//
// Over tcp each connection is CURVE, with a handler for ZAP that tells the key of the far end. An endpoint to dial
// names the key that its far end has: "tcp://host:port#KEY". Over ipc the kernel tells the account of the far end.
//
// A daemon also sleeps in the transport: `wait` returns when a frame may have come, when a watched descriptor is
// readable, or when the time is over. One thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/endpoint_key.hpp"
#include "keys/principal.hpp"
#include "links/endpoint.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/time.hpp"
#include "runtime/connection_guard.hpp"

namespace dmm {

struct TransportSettings {
  std::size_t frame_bytes = frame_bytes_max;  ///< a peer that sends more is disconnected
  std::size_t connections_max = 10'000;       ///< incoming connections remembered; the longest unused is forgotten
  ConnectionGuard::Settings guard = {};       ///< which of them are cut
  Duration linger = milliseconds(200);        ///< at the end, for what was sent last
  std::optional<LinkSecret> link_secret = {};  ///< of this process; none: it neither listens nor dials over tcp
};

/// Why an endpoint can't be used: a text that names it.
struct TransportFault {
  std::string text;
};

/// What came in: a frame, or the refusal of one. Valid until the next call of `receive`.
struct Arrival {
  Connection connection = 0;
  std::string_view bytes;
  std::string_view refusal;              ///< not empty: why there are no bytes ("multipart")
  const Principal* principal = nullptr;  ///< what is proved of the far end; never null after `receive`
};

class Transport {
 public:
  explicit Transport(TransportSettings settings = {});
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Connections that are opened or accepted over tcp from now on prove this key.
  void prove_with(const LinkSecret& secret);

  /// Listens at one more endpoint ("tcp://host:port", "ipc://path"). An error text, or empty. The socket file of a dead
  /// process is replaced, that of a live process is not: each listener holds a lock on `path`.lock.
  std::string listen(const std::string& endpoint);
  /// Listens again at the endpoints over tcp, and proves the present key there. Connections that peers opened are lost.
  /// An error text, or empty.
  std::string relisten();
  /// Where it listens, with the port that was chosen for "tcp://host:*".
  const std::vector<std::string>& endpoints() const;

  /// An endpoint as peers dial it: over tcp with our key.
  std::string published(const std::string& endpoint) const;

  /// Connects, and does so again whenever the connection is lost, until `hangup`.
  OrFault<Connection, TransportFault> dial(const std::string& endpoint);
  void hangup(Connection connection);

  /// Sends a frame without waiting. False: the connection is gone or full. While a dialled connection isn't made yet,
  /// the newest frame is held, and sent as soon as the connection is made.
  bool send(Connection connection, std::string_view frame);
  /// The next frame, taken from the sockets in turn; false if there is none.
  bool receive(Arrival& arrival);

  /// Makes `wait` return when this descriptor is readable.
  void watch(int descriptor);
  /// Sleeps until a frame may have come, a watched descriptor is readable, or the time is over. True if anything
  /// happened.
  bool wait(Duration at_most);
  /// Whether the descriptor was readable at the last `wait`.
  bool readable(int descriptor) const;

  /// Cuts incoming connections that do harm. Those that `is_needed` names are cut only if they may do the harm. Returns
  /// how many were cut. Call it every `guard_interval` while the transport listens.
  std::size_t guard(Instant now, const std::function<bool(Connection)>& is_needed);
  static constexpr Duration guard_interval = milliseconds(250);

  /// Whether `guard` is to be called at once.
  bool guard_is_urgent() const;

  /// Whether `guard` has anything to look at.
  bool has_incoming() const;

  /// Incoming connections that are remembered.
  std::size_t incoming() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace dmm
