// What time and routes call for at an endpoint: Hellos until a peer answers, Beats on quiet links, silence noticed, and
// the choice between the direct route and the relay along the delegation chain (docs/protocol.md section 5).
#include <algorithm>

#include "links/endpoint.hpp"

namespace dmm {

void Endpoint::dial(Instant now, Connection connection, const Party& party) {
  Peer& peer = make(party);
  peer.direct = connection;
  peer.dialled = true;
  if (!peer.way.connection && peer.way.path.empty()) peer.way = Way{connection, {}};
  peer.hello_at = now;
  peer.hello_pause = settings_.times.hello;
  next_tick_ = now;
}

void Endpoint::set_route(Instant now, const Route& route) {
  Peer& peer = make(route.to);
  peer.path = route.path;
  if (peer.path.empty()) peer.relay_at = never;
  peer.dialled = true;
  if (peer.up || peer.hello_at != never) return;  // on its way
  peer.hello_at = now;
  peer.hello_pause = settings_.times.hello;
  next_tick_ = now;
  if (route.endpoint.empty()) {
    peer.way = Way{std::nullopt, route.path};
    return;
  }
  if (!peer.path.empty()) peer.relay_at = now + settings_.relay_after;
  if (peer.direct && peer.endpoint == route.endpoint) {
    peer.way = Way{peer.direct, {}};
    return;
  }
  if (peer.direct) hangups_.push_back(*peer.direct);
  peer.direct.reset();
  peer.endpoint = route.endpoint;
  peer.way = {};
  dials_.push_back({route.to, route.endpoint});
}

void Endpoint::tick(Instant now) {
  if (now < next_tick_) return;
  next_tick_ = never;
  for (std::size_t i = 0; i < in_order_.size();) {
    Peer& peer = *in_order_[i];
    const bool client = peer.role == Role::client && !peer.dialled;
    if (client && now - peer.heard > settings_.times.client_memory) {
      in_order_.erase(in_order_.begin() + static_cast<std::ptrdiff_t>(i));
      peers_.erase(Party(peer.session.peer()));
      continue;
    }
    tick(now, peer);
    next_tick_ = std::min(next_tick_, deadline(peer));
    ++i;
  }
  // One wake-up serves many links: what is due within a quarter of a beat waits for it.
  next_tick_ = std::max(next_tick_, now + std::min(settings_.times.beat / 4, settings_.times.hello));
}

/// A numbered message comes or goes: from now on both are heard of again.
void Endpoint::wake(Instant now, Peer& peer) {
  if (!std::exchange(peer.resting, false)) return;
  peer.heard = now;
  next_tick_ = std::min(next_tick_, now + beat(peer));
}

void Endpoint::beat_or_rest(Instant now, Peer& peer) {
  const bool rests = (peer.rest_wanted || peer.rest_heard) && peer.session.unacknowledged() == 0;
  emit(now, peer, Beat{false, peer.session.last_used(), rests}, {}, peer.hint);
  peer.resting = rests;
  if (rests) peer.session.rest();
}

void Endpoint::tick(Instant now, Peer& peer) {
  if (peer.resting) return;
  if (peer.up && now - peer.heard >= silence(peer)) {
    peer.up = false;
    peer.last_error = "silent for " + std::to_string(silence(peer).microseconds / 1'000'000) + " s";
    const Party& silent = peer.session.peer();
    if (silent.role != Role::client) link_events_.push_back(LinkDown{silent, now - peer.heard});
    if (peer.dialled) {
      peer.hello_at = now;
      peer.hello_pause = settings_.times.hello;
      if (!peer.path.empty()) peer.relay_at = now;
    }
  }
  if (now >= peer.relay_at) {
    peer.relay_at = never;
    peer.way = Way{std::nullopt, peer.path};
    peer.direct_at = now + settings_.direct_again;
    peer.hello_at = now;
  }
  if (now >= peer.direct_at) {
    peer.direct_at = never;
    if (peer.direct && !peer.way.connection) {  // the answer moves the session back to this connection
      hello(now, peer, Way{peer.direct, {}}, false);
      peer.direct_at = now + settings_.direct_again;
    }
  }
  if (now >= peer.hello_at) {
    hello(now, peer, peer.way, false);
    peer.hello_at = now + peer.hello_pause;
    peer.hello_pause = std::min(peer.hello_pause * 2, beat(peer));
  }
  const bool quiet = now - peer.sent >= beat(peer) - settings_.times.beat / 4;
  if (peer.up && quiet) beat_or_rest(now, peer);
}

Instant Endpoint::deadline(const Peer& peer) const {
  if (peer.resting) return never;
  Instant due = std::min({peer.hello_at, peer.direct_at, peer.relay_at});
  if (peer.up) due = std::min({due, peer.sent + beat(peer), peer.heard + silence(peer)});
  const bool client = peer.role == Role::client && !peer.dialled;
  if (client) due = std::min(due, peer.heard + settings_.times.client_memory + settings_.times.beat);
  return due;
}

Instant Endpoint::next_deadline() const { return next_tick_; }

std::vector<DialWanted> Endpoint::take_dials() { return std::exchange(dials_, {}); }
std::vector<Connection> Endpoint::take_hangups() { return std::exchange(hangups_, {}); }
std::vector<std::variant<LinkUp, LinkDown>> Endpoint::take_link_events() { return std::exchange(link_events_, {}); }

std::vector<LinkView> Endpoint::links() const {
  std::vector<LinkView> views;
  for (const Peer* peer : in_order_) {
    views.push_back({.peer = peer->session.peer(),
                     .up = peer->up,
                     .relayed = !peer->way.connection && !peer->way.path.empty(),
                     .resting = peer->resting,
                     .software = peer->software,
                     .incarnation = peer->session.peer_incarnation(),
                     .sent = peer->frames_sent,
                     .received = peer->frames_received,
                     .unacknowledged = peer->session.unacknowledged(),
                     .heard = peer->heard,
                     .last_error = peer->last_error});
  }
  return views;
}

}  // namespace dmm
