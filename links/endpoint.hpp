// All conversations of one party: frames in, inputs out; messages in, frames out. Knows which connection leads to
// which peer, keeps a session with every peer, and answers what can't be trusted. Pure: the shell owns sockets and
// the clock.
//
// A connection is a number that the shell gives to one transport connection: one that it opened (`dial`), or one
// that a frame came in on. A peer is reached over the connection that its last good Hello came from. A job manager
// and a resource manager may also speak along the delegation chain, in Relay messages (docs/protocol.md section
// 5).
//
// Nothing here grows without a bound: a session that would keep too much for a peer is given up and begun again,
// as if that peer had restarted. A peer that is no longer needed is forgotten (links/session.hpp has the limits).
//
// endpoint.cpp: frames that come. endpoint_greeting.cpp: what a Hello makes of a session. endpoint_fragments.cpp:
// messages that are longer than a frame. endpoint_proving.cpp: what is proved of the senders of frames.
// endpoint_own_keys.cpp: what we prove ourselves with, and keys that we are told of. endpoint_sending.cpp: messages
// that go. endpoint_timing.cpp: what time calls for. endpoint_vouching.cpp: for how long a lender's word is good.
// endpoint_quieting.cpp: links without beats of their own. endpoint_routes.cpp: ways to peers, and peers that are
// forgotten. endpoint_refusals.cpp: what is refused.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "links/endpoint_settings.hpp"
#include "links/frame_counts.hpp"
#include "links/held_keys.hpp"
#include "links/key_events.hpp"
#include "links/link_view.hpp"
#include "links/outbox.hpp"
#include "links/peer.hpp"
#include "links/quiet.hpp"
#include "links/session.hpp"
#include "links/strangers.hpp"
#include "links/trust.hpp"
#include "manager/contract.hpp"
#include "manager/lookup.hpp"
#include "protocol/codec/codec.hpp"

namespace dmm {

class Endpoint {
 public:
  explicit Endpoint(EndpointSettings settings);
  // Defined in the .cpp: here, each file that moves or destroys an endpoint would compile them for all members.
  Endpoint(Endpoint&&) noexcept;
  Endpoint& operator=(Endpoint&&) noexcept;
  ~Endpoint();

  // ---- what the shell says ----
  /// A connection was opened to a peer; Hellos go out on it until it answers. A peer that is dialled before the
  /// first event is one for good; others are forgotten when they are no longer needed. Over tcp its far end has
  /// this link key; the peer has to show a certificate for it.
  void dial(Instant now, Connection connection, const Party& peer, std::optional<LinkKey> key = {});
  /// A peer that is to be dialled or admitted no longer: its session is over.
  void drop(Instant now, const Party& peer);
  /// Which parties may open a session from now on; the sessions of those that may no longer are over.
  void admit(Instant now, Admission admission);
  /// Bytes came in; `principal` is proved of the connection's far end. Adds what they mean to `messages`.
  void receive(Instant now, Connection connection, std::string_view frame, std::vector<Received>& messages,
               const Principal& principal = Unproven{});
  /// A frame that the transport could not take for a reason of its own ("multipart", ...).
  void refuse(Connection connection, std::string_view reason);
  /// A frame could not be sent: the connection is gone or full. The session sends it again.
  void undeliverable(Connection connection);

  // ---- keys (endpoint_own_keys.cpp) ----
  /// From now on we prove ourselves by this key. Without a certificate our site is asked for one.
  void hold(Instant now, const LinkSecret& secret, std::string certificate);
  /// Asks our site to certify a link key that we don't hold yet.
  void ask_certificate(Instant now, const LinkSecret& secret);
  /// What the office signed for a manager of our site.
  void certified(Instant now, const Party& manager, std::string certificate);
  /// Tells all peers which link key we listen with from some time on.
  void announce(Instant now, std::string certificate);
  /// An earlier start of ours heard this.
  void recall(const RevocationHeard& heard) { learn_revoked(heard); }
  std::vector<KeyEvent> take_key_events() { return std::exchange(keys_.events, {}); }
  bool is_up(const Party& party) const {
    const Peer* const peer = peers_.find(party);
    return peer && peer->up;
  }
  bool has_key_events() const { return !keys_.events.empty(); }

  // ---- what the manager says ----
  /// Sends what a step decided, in order.
  void send(Instant now, Effects& effects);

  // ---- what time says ----
  /// Beats, Hellos, resends, acknowledgements and silence that are due.
  void tick(Instant now);
  Instant next_deadline() const;

  // ---- beats that a shell accounts for, since it knows which of them arrive (endpoint_quieting.cpp) ----
  /// What we know of a peer, for the calls below; nullptr if we don't know it. Good until anything else happens to us.
  Peer* find(const Party& peer) { return peers_.find(peer); }
  /// Whether all that goes on between us and a peer over this connection is that both beat.
  bool is_quiet(Instant now, Connection connection, const Peer& peer) const;
  /// A Beat that vouches left the peer then, or later; nothing while none does, or while the shell accounts for Beats.
  std::optional<Instant> vouched(const Party& peer) const;
  /// Whether nothing in the beats of a peer would be news: its messages came, and its capacity hint. `ours`: what is
  /// known of it; `theirs`: what it knows of the one that knows.
  static bool has_heard_all(const Peer& ours, const Peer& theirs);
  /// When the next beat to the peer leaves, and until when one of its own is waited for.
  Instant next_beat(const Peer& peer) const { return beat_due(peer); }
  Instant waits_until(const Peer& peer) const { return std::min(silent_at(peer), stale_at(peer)); }
  /// From now on these beats to the peer aren't sent and its own aren't missed, until the quiet ends. It must be quiet.
  void fall_quiet(Peer& peer, QuietBeats& beats);
  /// What is due is looked for again, without links that have fallen quiet.
  void look_ahead();
  /// The quiet is over: it is as if these beats had been sent and received.
  void end_quiet(Peer& peer, const QuietPast& out, const QuietPast& in);
  /// Connections that can be quiet no longer, though nothing was sent: the next beat will say another thing.
  std::vector<Connection> take_stirred() { return std::exchange(out_.stirred, {}); }

  // ---- what comes out; each call empties its list ----
  /// Hands each frame to `send`, in order.
  template <class Send>
  void take_frames(Send send) {
    for (Frame& frame : out_.frames) send(frame);
    out_.frames.clear();
  }
  std::vector<DialWanted> take_dials();
  /// Connections of this shell's own making that are no longer used.
  std::vector<Connection> take_hangups();
  /// Sessions that opened or fell silent, in the order in which it happened relative to `receive`'s messages only by
  /// being asked for after each call of receive or tick.
  std::vector<LinkEvent> take_link_events();
  bool has_link_events() const { return !out_.link_events.empty(); }
  /// What the log should tell of sessions: each kind of thing at most once a minute and peer.
  std::vector<LogEvent> take_notices();
  bool has_notices() const { return !out_.notices.empty(); }

  /// One of the beats that a quiet link is spared; valid until the codec's next call.
  static std::string_view frame_of(const QuietBeats& beats, Stamp stamp, Stamp echo, Codec& codec);

  /// The connections that sessions go over.
  std::set<Connection> connections() const;

  EndpointCounters counters() const { return counts_.all(); }
  std::vector<LinkView> links() const;
  std::vector<Stranger> strangers() const { return strangers_.all(); }
  /// Of all sessions together, in bytes.
  std::size_t kept_bytes() const { return kept_bytes_; }
  /// Messages sent about each request, if counted.
  const std::map<RequestId, std::uint32_t>& sent_by_request() const { return counts_.sent_by_request(); }
  const EndpointSettings& settings() const { return settings_; }

 private:
  /// Beats leave at instants that divide the time between two of them into this many.
  static constexpr std::int64_t beat_grid = 4;
  // ---- frames that come (endpoint.cpp) ----
  Peer& make(Instant now, const Party& party);
  bool admitted(const Party& party) const;
  bool has_room_for(const Party& party, const Proof* shown) const;
  bool far(const Peer& peer) const { return far(peer.role); }
  bool far(Role role) const;  ///< whether a session with it may travel along a chain
  Duration beat(const Peer& peer) const { return settings_.times.beat * (far(peer) ? 3 : 1); }
  Duration silence(const Peer& peer) const { return settings_.times.silence * (far(peer) ? 3 : 1); }

  /// What vouches for the sender of a frame: what its connection or its seal proves. Where there is no seal, the
  /// sites of the chain do, which name the sender.
  struct Voucher {
    const Principal* principal = nullptr;
    const Party* named = nullptr;  ///< of a frame that came along a chain
    const LinkKey* link() const { return std::get_if<LinkKey>(principal); }
    const Account* account() const { return std::get_if<Account>(principal); }
  };
  bool is_proved(Instant now, const Way& way, const Voucher& voucher, const Party& from) const;
  std::optional<LinkKey> key_of(const Way& way, const Voucher& voucher, const Party& from) const;
  OrFault<std::unique_ptr<Proof>> shown_by(Instant now, const std::optional<LinkKey>& key,
                                           const Envelope& envelope);
  bool is_older(const Peer& peer, const Envelope& envelope, const Proof& proof) const;
  bool is_of_holder(const Peer& peer, const Voucher& voucher, const Proof* shown) const;
  void note_holder(Peer& peer, const Voucher& voucher, std::unique_ptr<Proof> shown);
  bool take_key_message(Instant now, Peer& peer, const Message& message);
  void take_vouch(Instant now, Peer& peer, const Vouch& vouch);
  void take_waiting_vouches(Instant now);
  void learn_from(Instant now, Peer& peer, const Vouch& vouch);
  Learned learn_revoked(const RevocationHeard& heard);
  void pass_on(Instant now, const Peer* but);
  void note_link_key(Peer& peer, const LinkKey& link);
  void take_next(const Peer& peer, const std::string& certificate);
  void take_certify(Instant now, Peer& peer, const Certify& asked);
  void take_certified(Instant now, const Peer& peer, const Certified& answer);
  void follow_site_key(Instant now, std::string_view certificate);
  void vouch_to(Instant now, Peer& peer);
  void vouch_to_all(Instant now, const Peer* but);
  void ask_certificates(Instant now);
  void renew_proof(const LinkSecret& secret);
  Instant renewal_of(std::string_view certificate) const;
  WallSeconds wall_seconds(Instant now) const;
  void take(Instant now, const Way& way, std::string_view frame, std::vector<Received>& messages,
            const Voucher& voucher);
  void take_relayed(Instant now, const Relay& relay, std::vector<Received>& messages);
  void introduce(Instant now, const Way& way, const Relay& relay);
  /// Counts a numbered message that we can't read as delivered: it would be as unreadable if it were sent again.
  void step_over(Instant now, const Envelope& head);
  bool accept(Instant now, Peer& peer, const Way& way, const Envelope& envelope);
  void deliver(Instant now, Peer& peer, Envelope&& envelope, std::vector<Received>& messages);
  bool may_say(Instant now, Peer& peer, std::uint16_t type);
  bool may_ask(Instant now, Peer& peer, const Message& message);
  void on(Instant now, Peer& peer, const Envelope& envelope, const Beat& beat);
  std::optional<Duration> hear_echo(Instant now, Peer& peer, Stamp echo, bool measures);
  // ---- greetings (endpoint_greeting.cpp) ----
  bool is_twin(Instant now, const Peer& peer, const Hello& greeting) const;
  bool may_meet(Instant now, const Peer& peer, const Envelope& envelope) const;
  void on(Instant now, Peer& peer, const Way& way, const Envelope& envelope, const Hello& hello);
  std::optional<Generation> meet(Instant now, Peer& peer, const Way& way, const Envelope& envelope,
                                 const Hello& hello);
  void rise(Instant now, Peer& peer, bool restarted, const SiteNames& ancestors);
  void rise_measured(Instant now, Peer& peer, const Envelope& envelope);
  // ---- messages in fragments (endpoint_fragments.cpp) ----
  void take_fragment(Instant now, Peer& peer, Fragment& fragment, std::vector<Received>& messages);
  void drop_fragments(Peer& peer);
  void take_whole(Instant now, Peer& peer, std::vector<Received>& messages);
  // ---- vouching for what is lent (endpoint_vouching.cpp) ----
  bool borrows_of(const Peer& peer) const;
  bool lends_to(const Peer& peer) const;
  Duration stale_after(const Peer& peer) const;
  Instant stale_at(const Peer& peer) const {
    return peer.vouching.stands ? peer.vouching.proved + peer.vouching.stale_after : never;
  }
  void hear_vouched(Instant now, Peer& peer, const Beat& beat, std::optional<Duration> way);
  void waver(Peer& peer);
  /// If its link is quiet, it can be so no longer.
  void stir(const Peer& peer);
  LinkDown link_down(Instant now, const Peer& peer, Duration silent) const;
  void refuse_and_tell(Instant now, const Way& way, const Refused& refused);
  void turn_away(Instant now, const Way& way, const Envelope& head, std::string_view reason,
                 const std::string& why, const LinkKey* sealed_by = nullptr);
  void tell(Instant now, const Way& way, const Envelope& head, std::uint16_t about, std::string text,
            const LinkKey* sealed_by = nullptr);
  void notice(Instant now, Peer& peer, std::string_view event, const std::string& text);

  // ---- messages that go (endpoint_sending.cpp) ----
  void emit(Instant now, Peer& peer, const Message& message, const RequestId& trace, const CapacityHint& hint);
  void emit_fragments(Instant now, Peer& peer, std::string_view whole, const RequestId& trace);
  void keep(Instant now, Peer& peer, std::uint16_t type, std::string_view frame);
  void emit_on(Instant now, const Way& way, const Party& to, std::uint16_t type, std::string_view bytes);
  std::string closed(const Party& to, std::uint16_t type, std::string_view bytes);
  const std::string& heading_of(Peer& peer);
  void hello(Instant now, Peer& peer, const Way& way, bool answer);
  Beat beat_of(Instant now, Peer& peer, bool resend = false, bool dormant = false);
  void beat_in_passing(Instant now, Peer& peer, bool resend = false);
  void ask_resend(Instant now, Peer& peer);
  void recover(Instant now, Peer& peer);
  void pump(Instant now, Peer& peer);
  bool has_room(Peer& peer);
  void acknowledge(Instant now, Peer& peer, std::uint64_t sequence);
  void note_kept(Peer& peer, std::size_t before);
  void give_up(Instant now, Peer& peer);
  void begin_again(Instant now, Peer& peer, const std::string& why);
  std::size_t kept_max(const Peer& peer) const;
  void count_sent(const Party& to, std::uint16_t type, const RequestId& trace);

  // ---- time (endpoint_timing.cpp) ----
  void tick(Instant now, Peer& peer, bool beats);
  void fall_silent(Instant now, Peer& peer);
  void beat_or_go_dormant(Instant now, Peer& peer);
  void wake(Instant now, Peer& peer);
  Instant beat_due(const Peer& peer) const;
  Instant silent_at(const Peer& peer) const;
  Instant deadline(const Peer& peer) const;
  Duration patience(const Peer& peer) const;  ///< before something is asked for, or sent, once more

  // ---- ways, and peers that are forgotten (endpoint_routes.cpp) ----
  void set_route(Instant now, const Route& route);
  void hang_up(Peer& peer);
  bool may_dial_direct(Instant now);
  Instant forget_at(const Peer& peer) const;
  void forget(Instant now, std::size_t index);

  EndpointSettings settings_;
  std::shared_ptr<Codec> codec_;
  FrameCounts counts_;
  std::uint64_t speaks_as_ = 0;            ///< our incarnation to the peer that is met next
  std::size_t kept_bytes_ = 0;             ///< of all sessions
  std::size_t assembly_bytes_ = 0;         ///< of all of them, too
  std::size_t clients_ = 0, directs_ = 0;  ///< how many peers are clients; have a connection of our making
  std::size_t uncertified_ = 0;            ///< how many clients have shown no certificate over tcp
  Lookup<Party, Peer> peers_;
  std::vector<Peer*> in_order_;  ///< all of them, by their parties
  Strangers strangers_;
  Trust trust_;
  HeldKeys keys_;
  Outbox out_;
  Instant next_tick_{};
};

}  // namespace dmm
