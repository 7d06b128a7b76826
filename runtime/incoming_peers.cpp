#include "runtime/incoming_peers.hpp"

namespace dmm {

IncomingPeer& IncomingPeers::sender_of(const std::string& id, Connection& last) {
  if (const auto known = by_routing_id_.find(id); known != by_routing_id_.end()) {
    touch(*known->second);
    return *known->second;
  }
  if (peers_.size() >= most_) forget(by_use_.front());
  const Connection connection = ++last;
  IncomingPeer& peer =
      peers_.emplace(connection, IncomingPeer{connection, id, by_use_.insert(by_use_.end(), connection)})
          .first->second;
  by_routing_id_.emplace(id, &peer);
  return peer;
}

IncomingPeer* IncomingPeers::find(Connection connection) {
  const auto peer = peers_.find(connection);
  return peer == peers_.end() ? nullptr : &peer->second;
}

const Principal& IncomingPeers::principal_of(IncomingPeer& peer, std::string_view address, std::string_view user) {
  if (peer.address == address && peer.user == user) return peer.principal;
  peer.address = address;
  peer.user = user;
  return peer.principal = dmm::principal_of(peer.address, peer.user, account_names_);
}

void IncomingPeers::forget(Connection connection) {
  const auto peer = peers_.find(connection);
  if (peer == peers_.end()) return;
  by_routing_id_.erase(peer->second.routing_id);
  by_use_.erase(peer->second.use);
  peers_.erase(peer);
}

}  // namespace dmm
