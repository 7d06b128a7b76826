// Links on which both sides do nothing but beat: a shell that knows what becomes of their Beats accounts for them
// instead of carrying them (simulator/quiet_links.hpp).
#include <algorithm>

#include "links/endpoint.hpp"
#include "links/stamps.hpp"

namespace dmm {

bool Endpoint::is_quiet(Instant now, Connection connection, const Party& party) const {
  const Peer* peer = peers_.find(party);
  if (!peer || !peer->up || peer->quiet || peer->role == Role::client || !frames_.empty()) return false;
  const bool rests = peer->rest_wanted || peer->rest_heard || peer->resting;
  const bool all_said = !peer->talked && !peer->measuring && peer->heard_stamp != no_stamp && !peer->renewing &&
                        !peer->recovering && peer->assembly.empty() && peer->session.unacknowledged() == 0;
  const bool nothing_due = std::min({peer->hello_at, peer->direct_at, peer->relay_at, peer->recover_at}) == never &&
                           beat_due(*peer) >= now && peer->heard + silence(*peer) > now && stale_at(*peer) > now;
  const bool vouched = peer->stands || !borrows_of(*peer);
  // What is relayed goes over the link to our site, and may take the place of a beat.
  const bool relays = std::ranges::any_of(in_order_, [](const Peer* one) {
    return one->up && !one->resting && !one->way.connection && !one->way.path.empty();
  });
  if (relays || rests || !vouched) return false;
  const bool on_the_grid = settings_.times.beat.microseconds % beat_grid == 0;
  return all_said && nothing_due && on_the_grid && peer->way.connection == connection;
}

bool Endpoint::has_heard_hint_of(const Endpoint& other) const {
  const Peer *theirs = other.peers_.find(settings_.self), *ours = peers_.find(other.settings_.self);
  return theirs && ours && (theirs->hint.empty() || theirs->hint == ours->heard_hint);
}

QuietBeats Endpoint::fall_quiet(const Party& party) {
  Peer& peer = *peers_.find(party);
  peer.quiet = true;
  return {.due = beat_due(peer),
          .pause = beat(peer),
          .heard = peer.heard_stamp,
          .heard_at = peer.heard_stamp_at,
          .heading = heading_of(peer),
          .acknowledged = peer.session.delivered(),
          .last = peer.session.last_used(),
          .hint = peer.hint};
}

std::string Endpoint::frame_of(const QuietBeats& beats, Stamp stamp, Stamp echo, Codec& codec) {
  const EnvelopeView envelope{.heading = beats.heading,
                              .sequence = 0,
                              .acknowledged = beats.acknowledged,
                              .trace = {},
                              .hint = beats.hint,
                              .message = Beat{false, beats.last, false, stamp, echo, false}};
  return std::string(codec.encode(envelope));
}

void Endpoint::end_quiet(const Party& party, const QuietPast& out, const QuietPast& in) {
  Peer* peer = peers_.find(party);
  if (!peer) return;
  peer->quiet = false;
  if (out.sent > 0) {
    peer->sent = std::max(peer->sent, out.last_sent);
    peer->beat_sent = std::max(peer->beat_sent, out.last_sent);
    peer->arrived_since_sent = 0;
    peer->bytes_since_sent = 0;
    peer->frames_sent += out.sent;
    sent_by_type_[Beat::type] += out.sent;
    const MessageKind kind = kind_of(Beat::type, settings_.self.role, party.role);
    counters_.sent_by_kind[static_cast<std::size_t>(kind)] += out.sent;
  }
  if (in.arrived > 0) {
    peer->heard = std::max(peer->heard, in.last_arrived);
    peer->frames_received += in.arrived;
    received_by_type_[Beat::type] += in.arrived;
    peer->heard_stamp = in.stamp;
    peer->heard_stamp_at = in.last_arrived;
    if (const auto way = since(in.echo, in.last_arrived); way && peer->stands)
      peer->proved = std::max(peer->proved, in.last_arrived - *way);
  }
  next_tick_ = std::min(next_tick_, deadline(*peer));
}

}  // namespace dmm
