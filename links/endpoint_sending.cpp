// How messages become frames, what is sent again, and when a session is given up; see endpoint.hpp.
#include <algorithm>
#include <utility>

#include "links/endpoint.hpp"
#include "links/stamps.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "protocol/verbs.hpp"

namespace dmm {
namespace {

/// What is longer travels in fragments. On a way along a chain a frame is wrapped once more, and shares links with
/// other frames.
constexpr std::size_t frame_bytes_whole = frame_bytes_max;
constexpr std::size_t far_frame_bytes_whole = 128 * 1024;
constexpr std::size_t fragment_bytes = 96 * 1024;

/// Of each frame, around its heading and what is kept of it.
constexpr std::size_t around_heading = 8;

/// The manager hears that a session is pressed at this fraction of what it may keep, and that it is no longer at half
/// of that.
constexpr std::size_t pressed_fraction = 4;

}  // namespace

// ---- messages to frames --------------------------------------------------------------------------------------------

void Endpoint::send(Instant now, Effects& effects) {
  for (const Route& route : effects.routes) set_route(now, route);
  effects.routes.clear();
  for (const Outgoing& out : effects.messages) emit(now, make(now, out.to), out.message, out.trace, out.hint);
  effects.messages.clear();
  for (const Party& party : effects.dormant) {
    Peer* peer = peers_.find(party);
    if (!peer || !far(*peer)) continue;
    peer->dormancy.wanted = true;
    stir(*peer);
  }
  effects.dormant.clear();
  for (const Party& party : effects.renewals)
    if (Peer* peer = peers_.find(party)) begin_again(now, *peer, "the records of both sides differ");
  effects.renewals.clear();
}

const std::string& Endpoint::heading_of(Peer& peer) {
  if (peer.heading.empty())
    peer.heading = Codec::encode(
        Heading{settings_.self, peer.session.peer(), peer.speaks_as, peer.session.peer_incarnation()});
  return peer.heading;
}

void Endpoint::emit(Instant now, Peer& peer, const Message& message, const RequestId& trace,
                    const CapacityHint& hint) {
  const std::uint16_t type = type_of(message);
  const bool numbered = is_numbered(type);
  // What is said before the peer has heard of the new session would stand before what opens it.
  if (numbered && peer.recovery.renewing) return refuse(0, "session_given_up");
  if (!peer.up && type == Relay::type) return refuse(0, "relay_dropped");
  if (!peer.up && type == Piece::type) return refuse(0, "piece_dropped");
  count_sent(peer.session.peer(), type, trace);
  if (!hint.empty()) peer.hints.told = hint;
  const EnvelopeView envelope{.heading = heading_of(peer),
                              .sequence = numbered ? peer.session.next_sequence() : 0,
                              .acknowledged = peer.session.delivered(),
                              .trace = trace,
                              .hint = hint,
                              .message = message};
  const std::string_view bytes = codec_->encode(envelope);
  if (numbered) {
    if (bytes.size() > (far(peer) ? far_frame_bytes_whole : frame_bytes_whole))
      return emit_fragments(now, peer, std::string(bytes), trace);
    return keep(now, peer, type, bytes);
  }
  // No other frame without a number says which number was last: it takes the place of no Beat.
  if (type == Beat::type) peer.sent = now;
  peer.traffic.sent();
  emit_on(now, peer.route.way, peer.session.peer(), type, bytes);
}

void Endpoint::emit_fragments(Instant now, Peer& peer, std::string_view whole, const RequestId& trace) {
  if (whole.size() > message_bytes_max) {
    refuse(0, "message_too_long");
    out_.notices.push_back(
        {Level::error,
         "message_too_long",
         trace,
         {{"peer", to_text(peer.session.peer())}, {"bytes", static_cast<std::int64_t>(whole.size())}}});
    return;
  }
  for (std::uint32_t index = 0; !whole.empty() && !peer.recovery.renewing; ++index) {
    const std::string_view piece = whole.substr(0, fragment_bytes);
    whole.remove_prefix(piece.size());
    emit(now, peer, Fragment{index, whole.empty(), std::string(piece)}, trace, {});
  }
}

/// Keeps the message that was encoded just now, and sends it if nothing stands before it.
void Endpoint::keep(Instant now, Peer& peer, std::uint16_t type, std::string_view frame) {
  const bool is_next = peer.up && !peer.session.has_unsent();
  const std::size_t before = peer.session.kept_bytes();
  peer.session.keep({type, codec_->tail()});
  note_kept(peer, before);
  peer.dormancy.wanted = false;
  peer.distance.talked = true;
  wake(now, peer);
  if (is_next) {
    peer.session.take_unsent();
    peer.sent = now;
    peer.traffic.sent();
    emit_on(now, peer.route.way, peer.session.peer(), type, frame);
  }
  if (peer.session.kept_bytes() > kept_max(peer)) return give_up(now, peer);
  if (kept_bytes_ <= settings_.limits.kept_bytes_all) return;
  give_up(now, **std::max_element(in_order_.begin(), in_order_.end(), [](const Peer* a, const Peer* b) {
            return a->session.kept_bytes() < b->session.kept_bytes();
          }));
}

/// A frame as it goes along a chain; empty if it can't: the peer's key isn't known yet. Its greeting says it.
std::string Endpoint::closed(const Party& to, std::uint16_t type, std::string_view bytes) {
  if (!keys_.seals) return std::string(bytes);
  const Peer* const peer = peers_.find(to);
  const bool is_greeting = type == Hello::type;
  if (peer && *peer->identity.seals_to && !(is_greeting && peer->route.unsealed))
    return keys_.seals->seal(**peer->identity.seals_to, bytes);
  return is_greeting ? std::string(bytes) : std::string();
}

void Endpoint::emit_on(Instant now, const Way& way, const Party& to, std::uint16_t type, std::string_view bytes) {
  if (way.connection) {
    out_.frames.emplace_back(*way.connection, std::string(bytes));
  } else if (!way.path.empty()) {
    Relay relay{settings_.self, to, way.path, 0, closed(to, type, bytes)};
    if (relay.payload.empty()) return refuse(0, "not_sealed");
    emit(now, make(now, site_manager_of(settings_.self.site)), std::move(relay), {}, {});
  }  // else the peer isn't there yet: the session keeps it
}

void Endpoint::hello(Instant now, Peer& peer, const Way& way, bool answer) {
  Hello greeting{peer.session.delivered(), answer,        DMM_VERSION, settings_.ancestors,
                 settings_.instance,       stamp_at(now), no_stamp,    settings_.certificate};
  const PeerDistance& distance = peer.distance;
  if (answer && distance.heard_stamp != no_stamp)
    greeting.echo = later(distance.heard_stamp, now - distance.heard_stamp_at);
  const Envelope envelope{.from = settings_.self,
                          .to = peer.session.peer(),
                          .incarnation = peer.speaks_as,
                          .peer = peer.session.peer_incarnation(),
                          .acknowledged = peer.session.delivered(),
                          .trace = {},
                          .hint = {},
                          .message = std::move(greeting)};
  count_sent(peer.session.peer(), Hello::type, {});
  peer.sent = now;
  if (answer) peer.route.unsealed = false;
  emit_on(now, way, peer.session.peer(), Hello::type, codec_->encode(envelope));
  // A peer that doesn't answer may have another key by now: every other greeting tells it ours without a seal.
  peer.route.unsealed = !peer.up && !answer && !peer.route.unsealed;
}

Beat Endpoint::beat_of(Instant now, Peer& peer, bool resend, bool dormant) {
  Beat beat{resend, peer.session.last_sent(), dormant, stamp_at(now), no_stamp, false};
  const PeerDistance& distance = peer.distance;
  if (distance.heard_stamp != no_stamp) beat.echo = later(distance.heard_stamp, now - distance.heard_stamp_at);
  // What waits for its turn to be sent may take back what this would vouch for.
  beat.in_passing = peer.session.has_unsent();
  peer.distance.measuring |= std::exchange(peer.distance.talked, false);
  return beat;
}

/// Between the frames of a batch. What lies behind our other links may have changed, and be noticed at its end only.
void Endpoint::beat_in_passing(Instant now, Peer& peer, bool resend) {
  Beat beat = beat_of(now, peer, resend);
  beat.in_passing = true;
  emit(now, peer, beat, {}, {});
}

// ---- again ---------------------------------------------------------------------------------------------------------

void Endpoint::ask_resend(Instant now, Peer& peer) {
  if (now - peer.recovery.resend_asked < patience(peer))
    return;  // what comes in the same burst is missing for one reason
  peer.recovery.resend_asked = now;
  beat_in_passing(now, peer, true);
}

/// All that isn't acknowledged is sent again, some of it at a time; and not before what was sent last may have arrived.
void Endpoint::recover(Instant now, Peer& peer) {
  if (DMM_PLANT(not_sent_again)) return;
  peer.recovery.recover_at = never;
  if (peer.session.unacknowledged() == 0) return;
  const Instant soonest = peer.recovery.recovered + patience(peer);
  if (peer.recovery.recovering && now < soonest) {
    peer.recovery.had = peer.session.last_acknowledged();
    peer.recovery.recover_at = soonest;
    next_tick_ = std::min(next_tick_, soonest);
    return;
  }
  peer.recovery.recovered = now;
  peer.recovery.recovering = true;
  peer.session.rewind();
  pump(now, peer);
}

/// Whether the next frame may be under way with those that are: a single one always may.
bool Endpoint::has_room(Peer& peer) {
  const Session& session = peer.session;
  if (!peer.recovery.recovering || session.in_flight() == 0) return true;
  const std::size_t each = heading_of(peer).size() + around_heading;
  return session.bytes_in_flight() + session.next_bytes() + each * (session.in_flight() + 1) <=
         settings_.limits.resend_bytes;
}

/// Sends what is to be sent, as much as may be under way.
void Endpoint::pump(Instant now, Peer& peer) {
  Session& session = peer.session;
  if (!peer.up) return;
  while (session.has_unsent() && has_room(peer)) {
    const KeptMessage message = session.take_unsent();
    counts_.resent(peer.recovery.recovering);
    peer.sent = now;
    ++peer.traffic.frames_sent;
    emit_on(now, peer.route.way, session.peer(), message.type,
            codec_->frame(message.type, heading_of(peer), message.tail));
  }
}

void Endpoint::acknowledge(Instant now, Peer& peer, std::uint64_t sequence) {
  const std::size_t before = peer.session.kept_bytes();
  peer.session.acknowledge(sequence);
  if (peer.session.kept_bytes() == before) return;
  note_kept(peer, before);
  if (!peer.recovery.recovering) return;
  pump(now, peer);
  peer.recovery.recovering = peer.session.unacknowledged() > 0;
  if (!peer.recovery.recovering) peer.recovery.recover_at = never;
}

// ---- bounds --------------------------------------------------------------------------------------------------------

std::size_t Endpoint::kept_max(const Peer& peer) const {
  return peer.role == Role::client ? settings_.limits.kept_bytes_client : settings_.limits.kept_bytes;
}

void Endpoint::note_kept(Peer& peer, std::size_t before) {
  kept_bytes_ += peer.session.kept_bytes() - before;
  const std::size_t much = kept_max(peer) / pressed_fraction;
  const bool pressed = peer.session.kept_bytes() > (peer.pressed ? much / 2 : much);
  if (pressed == peer.pressed || peer.role == Role::client) return;
  peer.pressed = pressed;
  out_.link_events.push_back(LinkPressed{peer.session.peer(), pressed});
}

/// Too much waits for a peer that acknowledges nothing.
void Endpoint::give_up(Instant now, Peer& peer) {
  ++peer.recovery.given_up;
  begin_again(now, peer, "it acknowledged nothing of " + std::to_string(peer.session.kept_bytes()) + " bytes");
}

/// As if we had restarted: both compare what they believe.
void Endpoint::begin_again(Instant now, Peer& peer, const std::string& why) {
  const std::size_t before = peer.session.kept_bytes();
  notice(now, peer, "session_given_up", why);
  peer.session.reset();
  note_kept(peer, before);
  drop_fragments(peer);
  peer.speaks_as = ++speaks_as_;
  peer.heading.clear();
  peer.recovery.recovering = peer.dormancy.both = false;
  peer.recovery.recover_at = never;
  peer.reports.edit().last_error = "the session was restarted: " + why;
  if (peer.role == Role::client) return;
  peer.recovery.renewing = true;
  waver(peer);
  if (std::exchange(peer.up, false)) out_.link_events.push_back(link_down(now, peer, {}));
  peer.route.hello_at = now;
  peer.route.hello_pause = settings_.times.hello;
  next_tick_ = std::min(next_tick_, now);
}

void Endpoint::count_sent(const Party& to, std::uint16_t type, const RequestId& trace) {
  const MessageKind kind = kind_of(type, settings_.self.role, to.role);
  counts_.sent(type, kind);
  if (settings_.count_by_request && !trace.empty() && kind != MessageKind::keep_alive) counts_.sent_about(trace);
}

}  // namespace dmm
