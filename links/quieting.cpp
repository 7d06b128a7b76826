// Links on which both sides do nothing but beat: a shell that knows what becomes of their Beats accounts for them
// instead of carrying them (simulator/quiet_links.hpp).
#include <algorithm>
#include <utility>

#include "links/endpoint.hpp"
#include "links/stamps.hpp"
#include "protocol/verbs.hpp"

namespace dmm {

bool Endpoint::is_quiet(Instant now, Connection connection, const Party& party) const {
  const Peer* peer = peers_.find(party);
  if (!peer || !peer->up || peer->quiet || peer->role == Role::client || !frames_.empty()) return false;
  const bool rests = peer->rest_wanted || peer->rest_heard || peer->resting;
  const bool all_said = peer->heard_stamp != no_stamp && !peer->renewing && !peer->recovering && !peer->pressed &&
                        peer->assembly.empty() && !peer->session.has_unsent();
  const bool nothing_due = std::min({peer->hello_at, peer->direct_at, peer->relay_at, peer->recover_at}) == never &&
                           beat_due(*peer) >= now && peer->heard + silence(*peer) > now && stale_at(*peer) > now;
  const bool vouched = peer->stands || !borrows_of(*peer);
  // What is relayed goes over the link to our site, and may take the place of a beat.
  const bool relays = std::ranges::any_of(in_order_, [](const Peer* one) {
    return one->up && !one->resting && !one->way.connection && !one->way.path.empty();
  });
  // Along the other way of a session that has two, something may still be coming.
  const bool just_talked = peer->talked || peer->measuring || peer->session.unacknowledged() > 0;
  if (relays || rests || !vouched || (far(*peer) && just_talked)) return false;
  const bool on_the_grid = settings_.times.beat.microseconds % beat_grid == 0;
  return all_said && nothing_due && on_the_grid && peer->way.connection == connection;
}

bool Endpoint::has_heard_all_of(const Endpoint& other) const {
  const Peer *theirs = other.peers_.find(settings_.self), *ours = peers_.find(other.settings_.self);
  if (!theirs || !ours || theirs->speaks_as != ours->session.peer_incarnation()) return false;
  if (ours->session.expects_more(theirs->session.last_used())) return false;
  return theirs->hint.empty() || theirs->hint == ours->heard_hint;
}

Instant Endpoint::waits_until(const Party& party) const {
  const Peer& peer = *peers_.find(party);
  return std::min(silent_at(peer), stale_at(peer));
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
          .hint = peer.hint,
          .measuring = std::exchange(peer.measuring, false),
          .talked = std::exchange(peer.talked, false)};
}

void Endpoint::look_ahead() {
  next_tick_ = never;
  for (const Peer* peer : in_order_) next_tick_ = std::min({next_tick_, deadline(*peer), forget_at(*peer)});
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
  peer->measuring |= in.measuring;
  peer->talked |= in.talked;
  for (const auto& [arrived, echo] : in.measured) hear_echo(arrived, *peer, echo, true);
  if (in.arrived > 0) {
    acknowledge(in.last_arrived, *peer, in.acknowledged);
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
