// The ways to peers: the choice between the direct route and the relay along the delegation chain (docs/protocol.md
// section 5), connections that are no longer used, and peers that are no longer needed.
#include <algorithm>
#include <utility>

#include "keys/endpoint_key.hpp"
#include "links/endpoint.hpp"
#include "manager/assert.hpp"

namespace dmm {

void Endpoint::dial(Instant now, Connection connection, const Party& party, std::optional<LinkKey> key) {
  const bool is_met = peers_.find(party) != nullptr;
  Peer& peer = make(now, party);
  if (peer.route.direct) out_.hangups.push_back(*peer.route.direct);
  directs_ += !peer.route.direct;
  peer.route.direct = connection;
  peer.route.direct_key = key;
  peer.route.dialled = true;
  peer.route.for_good |= !is_met;
  next_tick_ = now;
  // On the relay already: the answer to a Hello there moves the session to this connection.
  if (!peer.route.way.connection && !peer.route.way.path.empty())
    return hello(now, peer, Way{connection, {}}, false);
  peer.route.way = Way{connection, {}};
  peer.route.hello_at = now;
  peer.route.hello_pause = settings_.times.hello;
}

void Endpoint::set_route(Instant now, const Route& route) {
  Peer& peer = make(now, route.to);
  peer.route.path = route.path;
  if (const auto key = place_and_key(route.endpoint).second; key && !*peer.identity.seals_to)
    peer.identity.seals_to = key;
  if (peer.route.path.empty()) peer.route.relay_at = never;
  peer.route.dialled = true;
  peer.dormancy.wanted = false;
  const bool is_greeted = peer.route.hello_at != never;
  const Way& way = peer.route.way;
  const bool along_another = !way.connection && !way.path.empty() && way.path != route.path;
  if (peer.up || (is_greeted && !along_another)) return;
  peer.route.hello_at = now;
  next_tick_ = now;
  if (is_greeted) {  // the earlier chain may lead nowhere by now
    peer.route.way.path = route.path;
    return;
  }
  peer.route.hello_pause = settings_.times.hello;
  if (route.endpoint.empty() || (!peer.route.direct && !may_dial_direct(now))) {
    peer.route.way = Way{std::nullopt, route.path};
    return;
  }
  if (!peer.route.path.empty()) peer.route.relay_at = now + settings_.relay_after;
  if (peer.route.direct && peer.route.endpoint == route.endpoint) {
    peer.route.way = Way{peer.route.direct, {}};
    return;
  }
  hang_up(peer);
  peer.route.endpoint = route.endpoint;
  peer.route.way = {};
  out_.dials.push_back({route.to, route.endpoint});
}

void Endpoint::hang_up(Peer& peer) {
  if (!peer.route.direct || peer.route.for_good) return;
  out_.hangups.push_back(*peer.route.direct);
  if (peer.route.way.connection == peer.route.direct) peer.route.way = {};
  peer.route.direct.reset();
  --directs_;
}

/// Whether there is room for one more connection of our own making; a dormant one makes room for it.
bool Endpoint::may_dial_direct(Instant now) {
  if (directs_ + out_.dials.size() < settings_.limits.direct_connections) return true;
  std::size_t longest = in_order_.size();
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    const Peer& peer = *in_order_[i];
    if (!peer.route.direct || !peer.dormancy.both || peer.route.for_good) continue;
    if (longest == in_order_.size() || peer.sent < in_order_[longest]->sent) longest = i;
  }
  if (longest == in_order_.size()) return false;
  forget(now, longest);
  return true;
}

// ---- peers that are forgotten --------------------------------------------------------------------------------------

/// When the peer will not have been needed for long: it was silent, or both were dormant.
Instant Endpoint::forget_at(const Peer& peer) const {
  if (peer.role == Role::client && !peer.route.for_good) return peer.heard + settings_.times.client_memory;
  const bool is_neighbour = peer.role == Role::site_manager;
  if (peer.route.for_good || is_neighbour || (peer.up && !peer.dormancy.both)) return never;
  const bool is_wanted = peer.route.dialled && !peer.dormancy.wanted && !peer.dormancy.both;
  return is_wanted ? never : std::max(peer.heard, peer.sent) + settings_.times.peer_memory;
}

/// A peer that comes back is met as a new one: our next session with it must not be taken for this one.
void Endpoint::forget(Instant now, std::size_t index) {
  Peer& peer = *in_order_[index];
  waver(peer);
  if ((peer.up && peer.role != Role::client) || far(peer))
    out_.link_events.push_back(LinkDown{.peer = peer.session.peer(), .forgotten = true});
  hang_up(peer);
  next_tick_ = std::min(next_tick_, now);  // a walk over all peers may just have missed one
  ++speaks_as_;
  kept_bytes_ -= peer.session.kept_bytes();
  assembly_bytes_ -= peer.assembly->size();
  clients_ -= peer.role == Role::client;
  uncertified_ -= peer.identity.is_uncertified();
  in_order_.erase(in_order_.begin() + static_cast<std::ptrdiff_t>(index));
  peers_.erase(Party(peer.session.peer()));
}

void Endpoint::admit(Instant now, Admission admission) {
  settings_.admission = std::move(admission);
  trust_.configure(settings_.admission.trust);
  vouch_to_all(now, nullptr);
  strangers_.forget_if([&](const Party& party) { return admitted(party); });
  std::vector<Party> gone;
  for (const Peer* peer : in_order_)
    if (!peer->route.dialled && peer->role != Role::client && !admitted(peer->session.peer()))
      gone.push_back(peer->session.peer());
  for (const Party& party : gone) drop(now, party);
}

void Endpoint::drop(Instant now, const Party& party) {
  Peer* peer = peers_.find(party);
  if (!peer) return;
  peer->route.for_good = false;
  forget(now, static_cast<std::size_t>(std::find(in_order_.begin(), in_order_.end(), peer) - in_order_.begin()));
}

// ---- what comes out ------------------------------------------------------------------------------------------------

std::vector<DialWanted> Endpoint::take_dials() { return std::exchange(out_.dials, {}); }
std::vector<Connection> Endpoint::take_hangups() { return std::exchange(out_.hangups, {}); }
std::vector<LinkEvent> Endpoint::take_link_events() { return std::exchange(out_.link_events, {}); }
std::vector<LogEvent> Endpoint::take_notices() { return std::exchange(out_.notices, {}); }

std::set<Connection> Endpoint::connections() const {
  std::set<Connection> all;
  for (const Peer* peer : in_order_)
    if (peer->route.way.connection) all.insert(*peer->route.way.connection);
  return all;
}

std::vector<LinkView> Endpoint::links() const {
  std::vector<LinkView> views;
  for (const Peer* peer : in_order_) {
    const auto& proof = peer->identity.proof;
    views.push_back({.peer = peer->session.peer(),
                     .up = peer->up,
                     .relayed = !peer->route.way.connection && !peer->route.way.path.empty(),
                     .dormant = peer->dormancy.both,
                     .software = peer->identity.software,
                     .incarnation = peer->session.peer_incarnation(),
                     .sent = peer->traffic.frames_sent,
                     .received = peer->traffic.frames_received,
                     .unacknowledged = peer->session.unacknowledged(),
                     .kept_bytes = peer->session.kept_bytes(),
                     .given_up = peer->recovery.given_up,
                     .round_trip = peer->distance.round_trip,
                     .heard = peer->heard,
                     .link_key = proof ? std::optional(proof->link) : std::nullopt,
                     .proved_until = proof ? proof->until : 0,
                     .last_error = peer->reports->last_error});
  }
  return views;
}

}  // namespace dmm
