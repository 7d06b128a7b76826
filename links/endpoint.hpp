// All conversations of one party: frames in, inputs out; messages in, frames out. Knows which connection leads to whom,
// keeps a session with every peer, and answers what can't be trusted. Pure: the shell owns sockets and the clock.
//
// A connection is a number that the shell gives to one transport connection: one that it opened (`dial`), or one that
// a frame came in on. A peer is reached over the connection that its last good Hello came from; a job manager and a
// resource manager may also speak along the delegation chain, in Relay messages (docs/protocol.md section 5).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "links/session.hpp"
#include "machine/input.hpp"
#include "machine/lookup.hpp"
#include "protocol/codec.hpp"

namespace dmm {

using Connection = std::uint32_t;

/// Who may open a session with us.
struct Admission {
  std::set<Party> parties;            ///< by name
  bool job_managers_of_site = false;  ///< any job manager of our own site
  bool job_managers = false;          ///< any job manager (a resource manager's direct route)
  bool resource_managers = false;     ///< any resource manager of our own site
  bool clients = true;                ///< the command line
};

struct EndpointSettings {
  Party self;
  std::uint64_t incarnation = 1;  ///< greater at each start
  SiteNames ancestors;
  Admission admission;
  SessionTimes times;
  Duration relay_after = seconds(2);   ///< a direct route that is silent this long is given up for the relay
  Duration direct_again = seconds(60); ///< and tried again after this
  bool count_by_request = false;       ///< keep the number of messages sent about each request
  std::shared_ptr<Codec> codec;        ///< shared by all endpoints of a thread; none: one of its own
};

/// A frame to put on a connection.
struct Frame {
  Connection connection = 0;
  std::string bytes;
};

/// A connection that the endpoint would like: the shell opens it and calls `dial`.
struct DialWanted {
  Party peer;
  std::string endpoint;
};

/// What was counted since the start.
struct EndpointCounters {
  std::map<std::uint16_t, std::uint64_t> sent;      ///< by message type
  std::map<std::uint16_t, std::uint64_t> received;  ///< by message type
  std::array<std::uint64_t, message_kinds> sent_by_kind{};
  std::map<std::string, std::uint64_t> refused;     ///< by reason: FrameFault, "multipart", "not_admitted", ...
  std::uint64_t resent = 0;
  std::uint64_t duplicates = 0;
};

/// State of one session, for people.
struct LinkView {
  Party peer;
  bool up = false;
  bool relayed = false;
  bool resting = false;  ///< nothing is under way, so nothing is heard
  std::string software;  ///< version of the peer's program
  std::uint64_t incarnation = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::size_t unacknowledged = 0;
  Instant heard{};
  std::string last_error;
};

class Endpoint {
 public:
  explicit Endpoint(EndpointSettings settings);

  // ---- what the shell says ----
  /// A connection was opened to a peer; Hellos go out on it until it answers.
  void dial(Instant now, Connection connection, const Party& peer);
  /// Bytes came in. Adds what they mean to `inputs`.
  void receive(Instant now, Connection connection, std::string_view frame, std::vector<Received>& messages);
  /// A frame that the transport could not take for a reason of its own ("multipart", ...).
  void refuse(Connection connection, std::string_view reason);
  /// A frame could not be sent: the connection is gone or full. The session sends it again.
  void undeliverable(Connection connection);

  // ---- what the machine says ----
  /// Sends what a step decided, in order.
  void send(Instant now, Effects& effects);

  // ---- what time says ----
  /// Beats, Hellos, resends, acknowledgements and silence that are due.
  void tick(Instant now);
  Instant next_deadline() const;

  // ---- what comes out; each call empties its list ----
  /// Hands each frame to `send`, in order.
  template <class Send>
  void take_frames(Send send) {
    for (Frame& frame : frames_) send(frame);
    frames_.clear();
  }
  std::vector<DialWanted> take_dials();
  /// Connections of this shell's own making that are no longer used.
  std::vector<Connection> take_hangups();
  /// Sessions that opened or fell silent, in the order in which it happened relative to `receive`'s messages only by
  /// being asked for after each call of receive or tick.
  std::vector<std::variant<LinkUp, LinkDown>> take_link_events();
  bool has_link_events() const { return !link_events_.empty(); }

  EndpointCounters counters() const;
  std::vector<LinkView> links() const;
  /// Messages sent about each request, if counted.
  const std::map<RequestId, std::uint32_t>& sent_by_request() const { return sent_by_request_; }
  const EndpointSettings& settings() const { return settings_; }

 private:
  using ByType = std::array<std::uint64_t, 64>;
  static_assert(Answer::type < std::tuple_size_v<ByType>, "the greatest number of a message type");
  /// Where a frame came from or goes to: a connection, or the delegation chain.
  struct Way {
    std::optional<Connection> connection;
    SiteNames path;  ///< sites from ours to the peer's; used if there is no connection
  };
  struct Peer {
    explicit Peer(const Party& party) : role(party.role), session(party) {}
    // What a look at the clock needs comes first, then what every message needs: there may be many of them.
    Instant sent{}, heard{};
    Instant hello_at{never}, direct_at{never};
    Instant relay_at{never};          ///< only where there is a path
    Role role;
    bool up = false;
    bool dialled = false;             ///< we are the side that says Hello first
    bool rest_wanted = false;         ///< our machine has nothing under way with it
    bool rest_heard = false;          ///< it said the same
    bool resting = false;             ///< so neither beats, and silence means nothing
    std::uint32_t arrived_since_sent = 0;
    std::uint64_t frames_sent = 0, frames_received = 0;
    Session session;
    std::string heading;              ///< of all envelopes to its present incarnation, encoded; empty: not yet
    Way way;                          ///< how frames go out now; neither connection nor path: not reachable
    CapacityHint hint;                ///< the last one sent: said again in Beats, since it may be lost
    CapacityHint heard_hint;          ///< the last one that our machine was told since the link came up
    Instant resend_asked{};
    Duration hello_pause{};
    std::optional<Connection> direct; ///< the connection of our own making
    SiteNames path;                   ///< the delegation chain, if there is one
    std::string endpoint;             ///< for the direct route
    std::string software, last_error;
  };

  Peer& make(const Party& party);
  bool admitted(const Party& party) const;
  bool far(const Peer& peer) const;  ///< a session that may travel along a chain
  Duration beat(const Peer& peer) const { return settings_.times.beat * (far(peer) ? 3 : 1); }
  Duration silence(const Peer& peer) const { return settings_.times.silence * (far(peer) ? 3 : 1); }

  void take(Instant now, const Way& way, std::string_view frame, std::vector<Received>& messages);
  /// Counts a numbered message that we can't read as delivered: it would be as unreadable if it were sent again.
  void step_over(Instant now, const Envelope& head);
  bool accept(Instant now, Peer& peer, const Way& way, const Envelope& envelope);
  void deliver(Instant now, Peer& peer, Envelope&& envelope, std::vector<Received>& messages);
  void on(Instant now, Peer& peer, const Way& way, const Envelope& envelope, const Hello& hello);
  void on(Instant now, Peer& peer, const Envelope& envelope, const Beat& beat);
  void rise(Peer& peer, bool restarted, const SiteNames& ancestors);
  void refuse_and_tell(Instant now, const Way& way, const Refused& refused);

  void emit(Instant now, Peer& peer, const Message& message, const RequestId& trace, const CapacityHint& hint);
  void emit_on(Instant now, const Way& way, const Party& to, std::string_view bytes);
  void hello(Instant now, Peer& peer, const Way& way, bool answer);
  void ask_resend(Instant now, Peer& peer);
  void resend(Instant now, Peer& peer);
  void set_route(Instant now, const Route& route);
  void tick(Instant now, Peer& peer);
  void beat_or_rest(Instant now, Peer& peer);
  void wake(Instant now, Peer& peer);
  Instant deadline(const Peer& peer) const;
  void count_sent(const Party& to, std::uint16_t type, const RequestId& trace);

  EndpointSettings settings_;
  std::shared_ptr<Codec> codec_;
  EndpointCounters counters_;              ///< but for the two by type
  ByType sent_by_type_{}, received_by_type_{};
  std::map<RequestId, std::uint32_t> sent_by_request_;
  Lookup<Party, Peer> peers_;
  std::vector<Peer*> in_order_;            ///< all of them, by their parties
  std::vector<Frame> frames_;
  std::vector<DialWanted> dials_;
  std::vector<Connection> hangups_;
  std::vector<std::variant<LinkUp, LinkDown>> link_events_;
  Instant next_tick_{};
};

}  // namespace dmm
