// What time calls for at an endpoint: Hellos until a peer answers, Beats on quiet links, silence noticed
// (docs/protocol.md section 4.4).
#include <algorithm>
#include <utility>

#include "links/endpoint.hpp"
#include "links/stamps.hpp"

namespace dmm {
namespace {

/// A party that was silent for so long is greeted less and less often, at most this seldom.
constexpr Duration greeted_often = seconds(60);
constexpr Duration greeted_seldom = seconds(10);
/// Beats leave at instants that divide the time between two of them into this many.
constexpr std::int64_t beat_grid = 4;

}  // namespace

/// A message and its answer are under way for a round trip; what is asked for again sooner comes twice.
Duration Endpoint::patience(const Peer& peer) const {
  return std::max(settings_.times.hello, peer.round_trip * 3 / 2);
}

/// Beats leave at certain instants of our clock, so that one wake-up serves many links.
Instant Endpoint::beat_due(const Peer& peer) const {
  const std::int64_t grid = std::max<std::int64_t>(settings_.times.beat.microseconds / beat_grid, 1);
  const std::int64_t soonest = (peer.sent + beat(peer)).microseconds;
  return Instant{soonest / grid * grid};
}

void Endpoint::tick(Instant now) {
  if (now < next_tick_) return;
  next_tick_ = never;
  for (std::size_t i = 0; i < in_order_.size();) {
    Peer& peer = *in_order_[i];
    if (now >= forget_at(peer)) {
      forget(now, i);
      continue;
    }
    if (now >= deadline(peer)) tick(now, peer);
    next_tick_ = std::min({next_tick_, deadline(peer), forget_at(peer)});
    ++i;
  }
}

/// A numbered message comes or goes: from now on both are heard of again.
void Endpoint::wake(Instant now, Peer& peer) {
  if (!std::exchange(peer.resting, false)) return;
  peer.heard = now;
  next_tick_ = std::min(next_tick_, now + beat(peer));
}

void Endpoint::beat_or_rest(Instant now, Peer& peer) {
  const bool rests = (peer.rest_wanted || peer.rest_heard) && peer.session.unacknowledged() == 0;
  emit(now, peer, beat_of(now, peer, false, rests), {}, peer.hint);
  peer.resting = rests;
  if (rests) peer.session.rest();
}

void Endpoint::fall_silent(Instant now, Peer& peer) {
  peer.up = false;
  peer.last_error = "silent for " + std::to_string(silence(peer).microseconds / 1'000'000) + " s";
  const Party& silent = peer.session.peer();
  if (silent.role != Role::client) link_events_.push_back(LinkDown{silent, now - peer.heard});
  if (!peer.dialled) return;
  peer.hello_at = now;
  peer.hello_pause = settings_.times.hello;
  if (!peer.path.empty()) peer.relay_at = now;
}

void Endpoint::tick(Instant now, Peer& peer) {
  const bool beats = peer.up && !peer.resting && !peer.quiet;
  if (beats && now - peer.heard >= silence(peer)) fall_silent(now, peer);
  if (now >= peer.relay_at) {
    // The direct route may only be long: if its answer comes after all, the session moves there.
    peer.relay_at = never;
    peer.way = Way{std::nullopt, peer.path};
    peer.direct_at = now + settings_.direct_again;
    peer.hello_at = now;
  }
  if (now >= peer.direct_at) {
    peer.direct_at = now + settings_.direct_again;
    hang_up(peer);
    const bool is_known = !peer.endpoint.empty();
    if (is_known && !peer.rest_wanted && may_dial_direct(now)) dials_.push_back({peer.session.peer(), peer.endpoint});
  }
  if (now >= peer.recover_at) {
    // What was missing may have come meanwhile, and then the rest is on its way.
    if (peer.session.last_acknowledged() > peer.had)
      peer.recover_at = never;
    else
      recover(now, peer);
  }
  if (now >= peer.hello_at) {
    hello(now, peer, peer.way, false);
    peer.hello_at = now + peer.hello_pause;
    const bool often = peer.for_good || now - peer.heard < greeted_often;
    peer.hello_pause = std::min(peer.hello_pause * 2, often ? beat(peer) : std::max(beat(peer), greeted_seldom));
  }
  if (peer.up && !peer.resting && !peer.quiet && now >= beat_due(peer)) beat_or_rest(now, peer);
}

Instant Endpoint::deadline(const Peer& peer) const {
  Instant due = std::min({peer.hello_at, peer.direct_at, peer.relay_at, peer.recover_at});
  if (peer.up && !peer.resting && !peer.quiet) due = std::min({due, beat_due(peer), peer.heard + silence(peer)});
  return due;
}

// ---- quiet links ---------------------------------------------------------------------------------------------------

bool Endpoint::is_quiet(Instant now, Connection connection, const Party& party) const {
  const Peer* peer = peers_.find(party);
  if (!peer || !peer->up || peer->quiet || far(*peer) || peer->role == Role::client || !frames_.empty()) return false;
  const bool all_said = !peer->talked && peer->heard_stamp == no_stamp && !peer->renewing && !peer->recovering &&
                        peer->assembly.empty() && peer->session.unacknowledged() == 0;
  const bool nothing_due = std::min({peer->hello_at, peer->direct_at, peer->relay_at, peer->recover_at}) == never &&
                           beat_due(*peer) >= now && peer->heard + silence(*peer) > now;
  // What is relayed goes over the link to our site, and may take the place of a beat.
  const bool relays = std::ranges::any_of(in_order_, [](const Peer* one) {
    return one->up && !one->resting && !one->way.connection && !one->way.path.empty();
  });
  if (relays) return false;
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
  const EnvelopeView envelope{.heading = heading_of(peer),
                              .sequence = 0,
                              .acknowledged = peer.session.delivered(),
                              .trace = {},
                              .hint = peer.hint,
                              .message = Beat{false, peer.session.last_used(), false, no_stamp, no_stamp}};
  return {beat_due(peer), beat(peer), std::string(codec_->encode(envelope))};
}

void Endpoint::end_quiet(const Party& party, std::uint64_t sent, Instant last_sent, std::uint64_t received,
                         Instant last_heard) {
  Peer* peer = peers_.find(party);
  if (!peer) return;
  peer->quiet = false;
  if (sent > 0) {
    peer->sent = std::max(peer->sent, last_sent);
    peer->arrived_since_sent = 0;
    peer->bytes_since_sent = 0;
    peer->frames_sent += sent;
    sent_by_type_[Beat::type] += sent;
    const MessageKind kind = kind_of(Beat::type, settings_.self.role, party.role);
    counters_.sent_by_kind[static_cast<std::size_t>(kind)] += sent;
  }
  if (received > 0) {
    peer->heard = std::max(peer->heard, last_heard);
    peer->frames_received += received;
    received_by_type_[Beat::type] += received;
  }
  next_tick_ = std::min(next_tick_, deadline(*peer));
}

Instant Endpoint::next_deadline() const { return next_tick_; }

}  // namespace dmm
