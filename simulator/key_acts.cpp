// What happens to keys in a world, and what managers try in the name of others; see world.hpp.
#include <algorithm>

#include "protocol/codec.hpp"
#include "simulator/world.hpp"

namespace dmm {
namespace {

/// A start that comes much later than any that a world has.
constexpr std::uint64_t far_later = std::uint64_t{1} << 50;

}  // namespace

Principal World::principal_of(const FrameArrival& arrival) const {
  return keys_->principal(arrival.connection, network_.dialler_of(arrival.connection) == arrival.from);
}

/// All peers that it keeps a connection to, or some of them.
void World::dial_again(Address address, const std::vector<Party>* peers) {
  const Actor& actor = *actors_[address];
  for (const Address listener : actor.dials) {
    const bool is_meant = !peers || std::ranges::find(*peers, parties_[listener]) != peers->end();
    if (is_meant && dials(actor, listener)) dial(address, listener);
  }
}

/// The office of a manager does what its endpoint asks; whether anything is dialled anew.
bool World::keep_keys(Address address, Endpoint& endpoint) {
  if (!keys_) return false;
  WorldKeys::Again peers;
  const bool is_other = keys_->serve(address, now_, actors_[address]->clock.at(now_), endpoint, peers);
  if (is_other || !peers.empty()) dial_again(address, is_other ? nullptr : &peers);
  return is_other || !peers.empty();
}

void World::rotate_key(const Party& party) {
  end_all_quiet();
  const Address address = address_of(party);
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(*actors_[address])) return;
  keys_->rotate(address, now_, actors_[address]->clock.at(now_), *endpoint);
  if (party.role == Role::site_manager) dial_again(address, nullptr);
  touch(address);
  settle_touched();
}

void World::revoke_key(const Party& party) {
  end_all_quiet();
  keys_->revoke(address_of(party));
  const Address address = address_of(site_manager_of(party.site));
  Actor& actor = *actors_[address];
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(actor)) return;  // it reads it when it starts
  endpoint->admit(actor.clock.at(now_), admission_of(actor));
  touch(address);
  settle_touched();
}

void World::mend_keys() {
  if (!keys_) return;
  end_all_quiet();
  for (Address address = 0; address < actors_.size(); ++address) {
    if (keys_->is_revoked(address)) {
      restart(parties_[address]);
    } else if (Endpoint* const endpoint = endpoint_of(address)) {
      keys_->recertify(address, now_, actors_[address]->clock.at(now_), *endpoint);
      touch(address);
    }
  }
  // A site that didn't hear then which keys are revoked reads it now.
  for (Address address = 0; address < actors_.size(); ++address)
    if (Endpoint* const endpoint = endpoint_of(address); endpoint && parties_[address].role == Role::site_manager)
      endpoint->admit(actors_[address]->clock.at(now_), admission_of(*actors_[address]));
  settle_touched();
}

std::uint64_t World::refused(const std::string& reason) const {
  std::uint64_t sum = 0;
  for (const auto& actor : actors_)
    actor->driver.visit([&](const auto& driver) {
      const auto counters = driver.endpoint.counters();
      if (const auto found = counters.refused.find(reason); found != counters.refused.end()) sum += found->second;
    });
  return sum;
}

void World::impersonate(const Party& impostor, const Party& victim) {
  end_all_quiet();
  const Address from = address_of(impostor);
  if (actors_[from]->dials.empty()) return;
  const Address listener = actors_[from]->dials.front();
  const auto connection = network_.connection_between(from, listener);
  if (!connection) return;
  const Envelope envelope{.from = victim,
                          .to = parties_[listener],
                          .incarnation = far_later,
                          .trace = {},
                          .hint = {},
                          .message = Hello{}};
  network_.send(now_, from, *connection, std::string(codec_->encode(envelope)));
}

}  // namespace dmm
