// Links on which both sides do nothing but beat: a shell that knows which of their Beats arrive accounts for them
// instead of carrying them (simulator/world/quiet_links.hpp).
#include <algorithm>
#include <utility>

#include "links/endpoint.hpp"
#include "links/stamps.hpp"
#include "protocol/verbs.hpp"

namespace dmm {

bool Endpoint::is_quiet(Instant now, Connection connection, const Peer& peer) const {
  if (!peer.up || peer.quiet || peer.role == Role::client || !out_.frames.empty()) return false;
  const bool is_dormant = peer.dormancy.wanted || peer.dormancy.heard || peer.dormancy.both;
  const PeerRoute& route = peer.route;
  const bool all_said = peer.distance.heard_stamp != no_stamp && !peer.recovery.renewing &&
                        !peer.recovery.recovering && !peer.pressed && peer.assembly->empty() &&
                        !peer.session.has_unsent();
  const Instant next = std::min({route.hello_at, route.direct_at, route.relay_at, peer.recovery.recover_at});
  const bool nothing_due =
      next == never && beat_due(peer) >= now && peer.heard + silence(peer) > now && stale_at(peer) > now;
  const bool vouched = peer.vouching.stands || !borrows_of(peer);
  // Along the other way of a session that has two, something may still be coming.
  const bool just_talked = peer.distance.talked || peer.distance.measuring || peer.session.unacknowledged() > 0;
  const bool on_the_grid = settings_.times.beat.microseconds % beat_grid == 0;
  if (!all_said || !nothing_due || is_dormant || !vouched || (far(peer) && just_talked) || !on_the_grid ||
      route.way.connection != connection)
    return false;
  // What is relayed goes over the link to our site.
  return std::ranges::none_of(in_order_, [](const Peer* one) {
    return one->up && !one->dormancy.both && !one->route.way.connection && !one->route.way.path.empty();
  });
}

bool Endpoint::has_heard_all(const Peer& ours, const Peer& theirs) {
  if (theirs.speaks_as != ours.session.peer_incarnation()) return false;
  if (ours.session.expects_more(theirs.session.last_used())) return false;
  return theirs.hints.told.empty() || theirs.hints.told == ours.hints.heard;
}

void Endpoint::fall_quiet(Peer& peer, QuietBeats& beats) {
  peer.quiet = true;
  beats.due = beat_due(peer);
  beats.pause = beat(peer);
  beats.heard = peer.distance.heard_stamp;
  beats.heard_at = peer.distance.heard_stamp_at;
  beats.heading = heading_of(peer);
  beats.acknowledged = peer.session.delivered();
  beats.last = peer.session.last_used();
  beats.hint = peer.hints.told;
  beats.measuring = std::exchange(peer.distance.measuring, false);
  beats.talked = std::exchange(peer.distance.talked, false);
}

void Endpoint::stir(const Peer& peer) {
  if (peer.quiet && peer.route.way.connection) out_.stirred.push_back(*peer.route.way.connection);
}

void Endpoint::look_ahead() {
  next_tick_ = keys_.due();
  for (const Peer* peer : in_order_) next_tick_ = std::min({next_tick_, deadline(*peer), forget_at(*peer)});
}

std::string_view Endpoint::frame_of(const QuietBeats& beats, Stamp stamp, Stamp echo, Codec& codec) {
  const EnvelopeView envelope{.heading = beats.heading,
                              .sequence = 0,
                              .acknowledged = beats.acknowledged,
                              .trace = {},
                              .hint = beats.hint,
                              .message = Beat{false, beats.last, false, stamp, echo, false}};
  return codec.encode(envelope);
}

void Endpoint::end_quiet(Peer& peer, const QuietPast& out, const QuietPast& in) {
  peer.quiet = false;
  if (out.sent > 0) {
    peer.sent = std::max(peer.sent, out.last_sent);
    peer.vouching.beat_sent = std::max(peer.vouching.beat_sent, out.last_sent);
    peer.traffic.sent(out.sent);
    counts_.sent(Beat::type, kind_of(Beat::type, settings_.self.role, peer.role), out.sent);
  }
  peer.distance.measuring |= in.measuring;
  peer.distance.talked |= in.talked;
  for (const auto& [arrived, echo] : in.measured) hear_echo(arrived, peer, echo, true);
  if (in.arrived > 0) {
    acknowledge(in.last_arrived, peer, in.acknowledged);
    peer.heard = std::max(peer.heard, in.last_arrived);
    peer.traffic.frames_received += in.arrived;
    counts_.received(Beat::type, in.arrived);
    peer.distance.heard_stamp = in.stamp;
    peer.distance.heard_stamp_at = in.last_arrived;
    if (const auto way = since(in.echo, in.last_arrived); way && peer.vouching.stands)
      peer.vouching.proved = std::max(peer.vouching.proved, in.last_arrived - *way);
  }
  next_tick_ = std::min(next_tick_, deadline(peer));
}

}  // namespace dmm
