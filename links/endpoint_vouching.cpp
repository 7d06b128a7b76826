// For how long a lender's word is good. A Beat that echoes a stamp of ours left the lender when we stamped, or later.
// So what it vouches for holds from then on for a term, however long the Beat was under way (docs/protocol.md section
// 4.7). A manager is told when Beats begin to vouch, and when they have been too old for too long.
#include <algorithm>

#include "links/endpoint.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// What a link may be late by besides silence and twice its round trip.
constexpr std::int64_t beats_in_slack = 4;

}  // namespace

/// Whether the peer may have lent us something: our word to others depends on its own.
bool Endpoint::borrows_of(const Peer& peer) const {
  const bool may_borrow = settings_.self.role == Role::site_manager || settings_.self.role == Role::job_manager;
  return may_borrow && peer.role == Role::site_manager;
}

/// Whether we may have lent the peer something, so that it needs our word, whatever else goes over the link.
bool Endpoint::lends_to(const Peer& peer) const {
  const bool may_borrow = peer.role == Role::site_manager || peer.role == Role::job_manager;
  return settings_.self.role == Role::site_manager && may_borrow;
}

Duration Endpoint::stale_after(const Peer& peer) const {
  return silence(peer) + peer.distance.round_trip * 2 + settings_.times.beat / beats_in_slack;
}

/// A Beat that leaves a gap before it doesn't vouch: what is missing may say what it doesn't speak for.
void Endpoint::hear_vouched(Instant now, Peer& peer, const Beat& beat, std::optional<Duration> way) {
  if (DMM_PLANT(not_renewed)) return;
  if (!borrows_of(peer) || !peer.up || beat.in_passing || !way || peer.session.expects_more(beat.last)) return;
  peer.vouching.proved = std::max(peer.vouching.proved, now - *way);
  if (peer.vouching.stands) return;
  const Duration limit = stale_after(peer);
  if (now - peer.vouching.proved > limit) return;
  peer.vouching.stands = true;
  peer.vouching.stale_after = limit;
  out_.link_events.push_back(LinkStanding{peer.session.peer(), true, limit, peer.vouching.proved});
  next_tick_ = std::min(next_tick_, stale_at(peer));
}

std::optional<Instant> Endpoint::vouched(const Party& party) const {
  const Peer* peer = peers_.find(party);
  return peer && peer->vouching.stands && !peer->quiet ? std::optional(peer->vouching.proved) : std::nullopt;
}

void Endpoint::waver(Peer& peer) {
  if (!std::exchange(peer.vouching.stands, false)) return;
  out_.link_events.push_back(LinkStanding{peer.session.peer(), false, {}, peer.vouching.proved});
}

LinkDown Endpoint::link_down(Instant now, const Peer& peer, Duration silent) const {
  return {.peer = peer.session.peer(), .silent = silent, .vouched = now - peer.vouching.beat_sent};
}

}  // namespace dmm
