// What an endpoint knows of one peer, in groups by subject. These are the way to the peer, its distance, what is
// to be sent again, whether its Beats vouch, whether both sides are dormant, a message in fragments. Then follow its
// frames, the process that speaks for it, its hints, and what people are told of it. The comment of a group names all
// files that change it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "keys/principal.hpp"
#include "links/session.hpp"
#include "links/trust.hpp"
#include "manager/contract.hpp"

namespace dmm {

using Connection = std::uint32_t;

/// Where a frame came from or goes to: a connection, or the delegation chain.
struct Way {
  std::optional<Connection> connection;
  SiteNames path;  ///< sites from ours to the peer's; used if there is no connection
  bool leads() const { return connection || !path.empty(); }
};

/// The ways to a peer, and greetings on them. endpoint_routes.cpp chooses a way; endpoint_timing.cpp moves the times
/// on, and the way to the relay. endpoint.cpp and endpoint_greeting.cpp take the way that a frame came;
/// endpoint_sending.cpp makes a session that begins again greet at once.
struct PeerRoute {
  Instant hello_at{never};   ///< the next Hello
  Instant direct_at{never};  ///< the direct route is tried again
  Instant relay_at{never};   ///< the direct route is given up for the relay; only where there is a path
  Duration hello_pause{};
  Way way;                                       ///< how frames go out now
  std::optional<Connection> direct;              ///< the connection of our own making
  RareValue<std::optional<LinkKey>> direct_key;  ///< that its far end has, over tcp
  SiteNames path;                                ///< the delegation chain, if there is one
  ShortText endpoint;                            ///< for the direct route
  bool dialled = false;                          ///< we are the side that says Hello first
  bool for_good = false;                         ///< never forgotten
  bool unsealed = false;                         ///< the next greeting along the chain goes without a seal
};

/// How far away a peer is, by stamps that it echoes (stamps.hpp). endpoint.cpp and endpoint_greeting.cpp measure;
/// endpoint_sending.cpp notes what leaves; endpoint_quieting.cpp does both for the beats that a shell accounts for.
struct PeerDistance {
  Duration round_trip;           ///< 0 also until it is measured
  bool measured = false;         ///< round_trip is known
  bool talked = false;           ///< numbered messages went since the round trip was last measured,
  bool measuring = false;        ///< or since a Beat left to measure it: the echo to come does
  Stamp heard_stamp = no_stamp;  ///< to be echoed
  Instant heard_stamp_at{};
};

/// What is sent again after a gap or a new connection. endpoint_sending.cpp sends it; endpoint_timing.cpp drops a
/// resend that isn't needed any more. endpoint.cpp notes when it greeted a peer of another incarnation.
/// endpoint_greeting.cpp ends `renewing` when the link is up.
struct PeerRecovery {
  Instant recover_at{never};
  Instant recovered{}, resend_asked{};
  std::uint64_t had = 0;       ///< up to which number the peer had acknowledged when `recover_at` was set
  std::uint32_t given_up = 0;  ///< how often the session was begun again because too much was kept
  bool recovering = false;     ///< all that isn't acknowledged is sent again, a bounded number of bytes at a time
  bool renewing = false;       ///< we began the session again, and the peer has yet to hear of it
};

/// Whether the peer's Beats vouch for what it lent us (endpoint_vouching.cpp), and when our own last Beat left
/// (endpoint_timing.cpp, and endpoint_greeting.cpp when the link comes up). endpoint_quieting.cpp adds the beats that a
/// shell accounts for.
struct PeerVouching {
  Instant beat_sent{};   ///< when our last Beat that may vouch left
  Instant proved{};      ///< the latest Beat that vouched left the peer then, or later
  Duration stale_after;  ///< while `stands`: the lender's word is too old when `proved` is this long ago
  bool stands = false;
};

/// Whether neither side beats, since nothing is under way. endpoint_sending.cpp and endpoint_routes.cpp note what our
/// manager wants, endpoint.cpp and endpoint_greeting.cpp what the peer says; endpoint_timing.cpp goes to rest, and all
/// but endpoint_routes.cpp may wake.
struct PeerDormancy {
  bool wanted = false;  ///< our manager has nothing under way with the peer
  bool heard = false;   ///< the peer said the same
  bool both = false;    ///< so neither beats, and silence means nothing
};

/// A message that arrives in fragments (endpoint_fragments.cpp).
class PeerAssembly {
 public:
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  /// Whether this is the next fragment; the first one begins a message.
  bool is_next(std::uint32_t index) const { return index == next_; }
  void begin() { next_ = 0; }
  void add(const std::string& bytes) { bytes_ += bytes, ++next_; }
  /// Drops what has arrived of the message, and its later fragments too.
  void drop() { std::string().swap(bytes_), next_ = UINT32_MAX; }

 private:
  std::string bytes_;
  std::uint32_t next_ = 0;
};

/// Frames to and from a peer. endpoint_sending.cpp counts those that go, endpoint.cpp and endpoint_greeting.cpp those
/// that come; endpoint_quieting.cpp adds the beats that a shell accounts for.
struct PeerTraffic {
  std::uint32_t arrived_since_sent = 0;  ///< numbered messages that no frame of ours has acknowledged
  std::size_t bytes_since_sent = 0;      ///< of fragments among them
  std::uint64_t frames_sent = 0, frames_received = 0;
  /// Frames left that acknowledge all that came.
  void sent(std::uint64_t frames = 1) {
    arrived_since_sent = 0;
    bytes_since_sent = 0;
    frames_sent += frames;
  }
};

/// Which process speaks for the peer, and with what right. endpoint_greeting.cpp notes what a Hello says, endpoint.cpp
/// what is proved; endpoint_proving.cpp and endpoint_routes.cpp learn the key for frames along a chain.
struct PeerIdentity {
  std::uint64_t instance = 0;            ///< which process of its name it is; 0: it doesn't say
  std::unique_ptr<Proof> proof;          ///< what its certificate proved; null: it showed none
  std::optional<std::uint32_t> account;  ///< of a client over ipc: the account that opened its session
  Right right = Right::none;             ///< of a client: what it may ask
  ShortText software;
  /// Frames along a chain are sealed to this key; none: not known yet.
  RareValue<std::optional<LinkKey>> seals_to;
  /// Whether it is a client over tcp that showed no certificate.
  bool is_uncertified() const { return proof && !proof->is_certified; }
};

/// Capacity hints, so that the same one isn't told twice. endpoint_sending.cpp notes what goes, endpoint.cpp what
/// comes; endpoint_greeting.cpp forgets what came before the link was up.
struct PeerHints {
  CapacityHint told;   ///< the last one sent: said again in Beats, since it may be lost
  CapacityHint heard;  ///< the last one that our manager was told since the link came up
};

/// Vouches of the peer that come faster than they are taken (endpoint_own_keys.cpp).
struct PeerVouches {
  /// They are taken at this interval, after a burst.
  static constexpr Duration interval = seconds(1);
  static constexpr std::int64_t at_once = 64;
  Instant paid{};                  ///< by when all that were taken would have been taken one by one
  std::unique_ptr<Vouch> waiting;  ///< the latest one that wasn't taken
  std::uint32_t news_told = 0;     ///< how much of our news the peer was told, see HeldKeys
  /// Whether one more is taken now; then it counts.
  bool may_take(Instant now) {
    paid = std::max(paid, now);
    if (paid - now >= interval * at_once) return false;
    paid = paid + interval;
    return true;
  }
  /// When the one that waits is taken.
  Instant due() const { return paid - interval * (at_once - 1); }
};

/// What people are told of a peer (endpoint_refusals.cpp, and each file that finds an error).
struct PeerReports {
  std::string last_error;
  std::map<std::string_view, Instant> told;  ///< when the log, or the peer itself, was last told of what
};

struct Peer {
  explicit Peer(const Party& party) : role(party.role), session(party) {}
  /// Whether the number is that of another process of the name. Clients have no instances.
  bool is_other_instance(std::uint64_t number) const {
    return number != 0 && identity.instance != 0 && role != Role::client && number != identity.instance;
  }

  // What a look at the clock needs comes first, then what every message needs: there may be many peers.
  Instant sent{}, heard{};
  Role role;
  bool up = false;
  bool was_up = false;   ///< now or earlier: something may have been said to it
  bool pressed = false;  ///< our manager was told that much is kept for it
  bool quiet = false;    ///< the shell accounts for the beats of both
  PeerDormancy dormancy;
  PeerRoute route;
  PeerVouching vouching;
  PeerRecovery recovery;
  PeerDistance distance;
  PeerTraffic traffic;
  std::uint64_t speaks_as = 0;  ///< our incarnation, as this peer knows it
  Session session;
  std::string heading;  ///< of all envelopes to its present incarnation, encoded; empty: not yet
  PeerHints hints;
  struct Rising {
    bool restarted = false;
    SiteNames ancestors;
    Instant answered{};  ///< when we greeted the peer back
  };
  std::unique_ptr<Rising> rising;  ///< it greeted us, and is up as soon as we know how far away it is
  RareValue<PeerAssembly> assembly;
  PeerIdentity identity;
  PeerVouches vouches;
  RareValue<PeerReports> reports;
};

}  // namespace dmm
