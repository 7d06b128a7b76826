// What a Hello makes of a session: whether it is accepted, which generation of the peer speaks, and when the link is
// up (docs/protocol.md section 4.4).
#include <algorithm>
#include <utility>

#include "links/endpoint.hpp"
#include "protocol/text.hpp"

namespace dmm {

/// Whether another process of the name is heard, or this one is of an earlier start.
bool Endpoint::is_twin(Instant now, const Peer& peer, const Hello& greeting) const {
  const bool is_heard = peer.up && !peer.dormancy.both && now - peer.heard < silence(peer);
  return is_heard && peer.is_other_instance(greeting.instance);
}

/// Whether the greeting will be accepted: only then does what it shows take the place of what was shown before.
bool Endpoint::may_meet(Instant now, const Peer& peer, const Envelope& envelope) const {
  const Hello* const greeting = std::get_if<Hello>(&envelope.message);
  if (!greeting || is_twin(now, peer, *greeting)) return false;
  return peer.is_other_instance(greeting->instance) ||
         peer.session.compare(envelope.incarnation) != Generation::stale;
}

/// What the greeting makes of the session; nothing if it is turned away. One process of a name is heard at a time: a
/// second one waits until the first has been silent.
std::optional<Generation> Endpoint::meet(Instant now, Peer& peer, const Way& way, const Envelope& envelope,
                                         const Hello& greeting) {
  const bool is_later = peer.is_other_instance(greeting.instance) ||
                        peer.session.compare(envelope.incarnation) == Generation::restarted;
  if (is_later && !peer.was_up) {
    peer.session.unmeet();  // what waits for the peer waits for this one
    return peer.session.meet(envelope.incarnation);
  }
  if (peer.is_other_instance(greeting.instance)) {
    if (is_twin(now, peer, greeting)) {
      const std::string text = "another " + to_text(peer.session.peer()) + " runs and was heard " +
                               std::to_string((now - peer.heard).microseconds / 1'000) + " ms ago";
      refuse(0, "twin");
      notice(now, peer, "twin_refused", text);
      tell(now, way, envelope, Hello::type, text);
      return std::nullopt;
    }
    peer.session.meet_other(envelope.incarnation);
    // It goes on with the session that it had with us, which the other process displaced here.
    if (envelope.peer == peer.speaks_as) begin_again(now, peer, "another process of the name spoke in between");
    return Generation::restarted;
  }
  const Generation generation = peer.session.meet(envelope.incarnation);
  if (generation != Generation::stale) return generation;
  refuse(0, "other_incarnation");
  if (now - peer.heard < silence(peer)) return std::nullopt;  // an old frame, perhaps
  const std::string text = "it was started as " + std::to_string(envelope.incarnation) + ", and earlier as " +
                           std::to_string(peer.session.peer_incarnation()) +
                           ": is its directory an older copy, or was its clock set back?";
  notice(now, peer, "stale_incarnation", text);
  tell(now, way, envelope, Hello::type, text);
  return std::nullopt;
}

void Endpoint::on(Instant now, Peer& peer, const Way& way, const Envelope& envelope, const Hello& greeting) {
  counts_.received(Hello::type);
  const std::size_t before = peer.session.kept_bytes();
  const auto generation = meet(now, peer, way, envelope, greeting);
  note_kept(peer, before);
  if (!generation) return;
  strangers_.forget(peer.session.peer());
  if (*generation != Generation::same) {
    peer.heading.clear();
    drop_fragments(peer);
  }
  if (greeting.instance != 0) peer.identity.instance = greeting.instance;
  peer.heard = now;
  next_tick_ = std::min(next_tick_, now + settings_.times.beat);
  ++peer.traffic.frames_received;
  peer.dormancy.both = peer.dormancy.heard = false;
  if (peer.route.way.connection != way.connection) stir(peer);  // beats go along the other way from now on
  peer.route.way = way;
  peer.identity.software = greeting.software;
  if (way.connection && peer.route.direct == way.connection) peer.route.relay_at = peer.route.direct_at = never;
  peer.distance.heard_stamp = greeting.stamp;
  peer.distance.heard_stamp_at = now;
  if (greeting.answer) hear_echo(now, peer, greeting.echo, true);
  const bool knows_me = envelope.peer == peer.speaks_as;
  if (knows_me) acknowledge(now, peer, std::max(greeting.received, envelope.acknowledged));
  if (!greeting.answer) hello(now, peer, way, true);
  if (knows_me || (greeting.answer && !peer.recovery.renewing)) peer.route.hello_at = never;
  if (peer.recovery.renewing && !knows_me) return;  // it has yet to hear that we began again
  const bool was_up = peer.up;
  const bool is_new = *generation != Generation::same || peer.recovery.renewing;
  // Time limits are made of how far away a peer is: nothing is said to one before that is known. It says so at once.
  const bool will_say = !greeting.answer && greeting.stamp != no_stamp && peer.role != Role::client;
  if (!was_up && !peer.distance.measured && will_say) {
    if (!peer.rising) peer.rising = std::make_unique<Peer::Rising>(Peer::Rising{is_new, {}, now});
    peer.rising->restarted |= is_new;
    peer.rising->ancestors = greeting.ancestors;
    return;
  }
  peer.rising.reset();
  if (!was_up || is_new) rise(now, peer, is_new, greeting.ancestors);
  if (!was_up && greeting.answer) beat_in_passing(now, peer);
  recover(now, peer);
}

/// The first frame behind the greetings: it says how far away the peer is, at the latest by having come.
void Endpoint::rise_measured(Instant now, Peer& peer, const Envelope& envelope) {
  const auto told = std::exchange(peer.rising, nullptr);
  const Peer::Rising rising = told ? std::move(*told) : Peer::Rising{};
  if (const Beat* beat = std::get_if<Beat>(&envelope.message)) hear_echo(now, peer, beat->echo, true);
  if (!peer.distance.measured && rising.answered != Instant{}) {
    peer.distance.round_trip = now - rising.answered;
    peer.distance.measured = true;
  }
  rise(now, peer, peer.recovery.renewing || rising.restarted, rising.ancestors);
}

void Endpoint::rise(Instant now, Peer& peer, bool restarted, const SiteNames& ancestors) {
  if (restarted) waver(peer);
  peer.up = peer.was_up = true;
  peer.vouching.beat_sent = std::max(peer.vouching.beat_sent, now - beat(peer));  // the first one is due at once
  peer.recovery.renewing = false;
  peer.hints.heard.clear();
  peer.distance.talked = true;
  next_tick_ = std::min(next_tick_, deadline(peer));  // from now on it is to hear of us
  if (restarted || peer.vouches.news_told != keys_.news) vouch_to(now, peer);
  if (peer.role != Role::client)
    out_.link_events.push_back(
        LinkUp{peer.session.peer(), restarted, ancestors, peer.identity.software, peer.distance.round_trip});
}

}  // namespace dmm
