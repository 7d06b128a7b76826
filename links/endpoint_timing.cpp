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
/// A listener with another link key closes the connection without a word.
constexpr const char* never_answered =
    "never answered: is it up, and does its endpoint name the link key that it has?";

}  // namespace

/// A message and its answer are under way for a round trip; what is asked for again sooner comes twice.
Duration Endpoint::patience(const Peer& peer) const {
  return std::max(settings_.times.hello, peer.distance.round_trip * 3 / 2);
}

/// Beats leave at certain instants of our clock, so that one wake-up serves many links. Those that vouch leave whatever
/// else does.
Instant Endpoint::beat_due(const Peer& peer) const {
  const std::int64_t grid = std::max<std::int64_t>(settings_.times.beat.microseconds / beat_grid, 1);
  const std::int64_t soonest = ((lends_to(peer) ? peer.vouching.beat_sent : peer.sent) + beat(peer)).microseconds;
  return Instant{soonest / grid * grid};
}

/// Silence is noticed on all links before any of them is told anything: a Beat vouches for what we have from others.
void Endpoint::tick(Instant now) {
  if (now < next_tick_) return;
  for (Peer* peer : in_order_) {
    if (now >= stale_at(*peer) && !peer->quiet) waver(*peer);
    if (now >= silent_at(*peer)) fall_silent(now, *peer);
  }
  const bool beats = out_.link_events.empty();  // else they leave when our manager has heard of it
  if (now >= keys_.certify_at) ask_certificates(now);
  if (now >= keys_.vouches_at) take_waiting_vouches(now);
  if (now >= keys_.pass_on_at) pass_on(now, nullptr);
  next_tick_ = beats ? keys_.due() : now;
  for (std::size_t i = 0; i < in_order_.size();) {
    Peer& peer = *in_order_[i];
    if (now >= forget_at(peer)) {
      forget(now, i);
      continue;
    }
    if (now >= deadline(peer)) tick(now, peer, beats);
    next_tick_ = std::min({next_tick_, deadline(peer), forget_at(peer)});
    ++i;
  }
}

/// A numbered message comes or goes: from now on both beat again, and silence counts.
void Endpoint::wake(Instant now, Peer& peer) {
  if (!std::exchange(peer.dormancy.both, false)) return;
  peer.heard = peer.sent = now;
  next_tick_ = std::min(next_tick_, deadline(peer));
}

void Endpoint::beat_or_go_dormant(Instant now, Peer& peer) {
  const bool is_dormant = (peer.dormancy.wanted || peer.dormancy.heard) && peer.session.unacknowledged() == 0;
  const Beat beat = beat_of(now, peer, false, is_dormant);
  emit(now, peer, beat, {}, peer.hints.told);
  peer.vouching.beat_sent = now;
  peer.dormancy.both = is_dormant;
  if (is_dormant) peer.session.go_dormant();
}

void Endpoint::fall_silent(Instant now, Peer& peer) {
  peer.up = false;
  peer.reports.edit().last_error = "silent for " + std::to_string(silence(peer).microseconds / 1'000'000) + " s";
  const Party& silent = peer.session.peer();
  waver(peer);
  if (silent.role != Role::client) out_.link_events.push_back(link_down(now, peer, now - peer.heard));
  if (!peer.route.dialled) return;
  peer.route.hello_at = now;
  peer.route.hello_pause = settings_.times.hello;
  if (!peer.route.path.empty()) peer.route.relay_at = now;
}

void Endpoint::tick(Instant now, Peer& peer, bool beats) {
  if (now >= peer.route.relay_at) {
    // The direct route may only be long: if its answer comes after all, the session moves there.
    peer.route.relay_at = never;
    peer.route.way = Way{std::nullopt, peer.route.path};
    peer.route.direct_at = now + settings_.direct_again;
    peer.route.hello_at = now;
  }
  if (now >= peer.route.direct_at) {
    peer.route.direct_at = now + settings_.direct_again;
    hang_up(peer);
    const bool may_dial = !peer.route.endpoint.empty() && !peer.dormancy.wanted && may_dial_direct(now);
    if (may_dial) out_.dials.push_back({peer.session.peer(), peer.route.endpoint});
  }
  if (now >= peer.recovery.recover_at) {
    // What was missing may have come meanwhile, and then the rest is on its way.
    if (peer.session.last_acknowledged() > peer.recovery.had)
      peer.recovery.recover_at = never;
    else
      recover(now, peer);
  }
  if (now >= peer.route.hello_at) {
    hello(now, peer, peer.route.way, false);
    peer.route.hello_at = now + peer.route.hello_pause;
    const bool often = peer.route.for_good || now - peer.heard < greeted_often;
    const Duration longest = often ? beat(peer) : std::max(beat(peer), greeted_seldom);
    peer.route.hello_pause = std::min(peer.route.hello_pause * 2, longest);
    const bool is_tried = keys_.seals && peer.route.for_good && !peer.up && peer.route.hello_pause == longest;
    if (is_tried && peer.reports->last_error.empty()) peer.reports.edit().last_error = never_answered;
  }
  if (beats && peer.up && !peer.dormancy.both && !peer.quiet && now >= beat_due(peer))
    beat_or_go_dormant(now, peer);
}

Instant Endpoint::silent_at(const Peer& peer) const {
  return peer.up && !peer.dormancy.both && !peer.quiet ? peer.heard + silence(peer) : never;
}

Instant Endpoint::deadline(const Peer& peer) const {
  Instant due =
      std::min({peer.route.hello_at, peer.route.direct_at, peer.route.relay_at, peer.recovery.recover_at});
  if (peer.up && !peer.dormancy.both && !peer.quiet)
    due = std::min({due, beat_due(peer), silent_at(peer), stale_at(peer)});
  return due;
}

Instant Endpoint::next_deadline() const { return next_tick_; }

}  // namespace dmm
