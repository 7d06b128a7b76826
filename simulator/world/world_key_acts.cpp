// Events of keys in a world, and what managers try in the names of others; see world.hpp.
#include <algorithm>

#include "protocol/codec/codec.hpp"
#include "simulator/world/world.hpp"

namespace dmm {
namespace {

/// An incarnation far above any in a world.
constexpr std::uint64_t far_later = std::uint64_t{1} << 50;
/// An instance number that no process of a world has.
constexpr std::uint64_t another_machine = std::uint64_t{1} << 40;

}  // namespace

Principal World::principal_of(const FrameArrival& arrival) const {
  return keys_->principal(arrival.connection, network_.dialler_of(arrival.connection) == arrival.from);
}

/// Dials again: all peers that the manager keeps a connection to, or one of them.
void World::dial_again(Address address, std::optional<Address> one) {
  const Actor& actor = population_[address];
  for (const Address listener : actor.dials)
    if ((!one || *one == listener) && population_.dials(actor, listener)) dial(address, listener);
}

/// The key office does what the manager's endpoint asks. Returns whether anything is dialled again.
bool World::keep_keys(Address address, Endpoint& endpoint) {
  if (!keys_) return false;
  const bool is_other = keys_->serve(address, now_, population_[address].clock.at(now_), endpoint);
  if (is_other) dial_again(address, std::nullopt);
  return is_other;
}

void World::rotate_key(const Party& party, Duration overlap) {
  end_all_quiet();
  const Address address = address_of(party);
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(population_[address])) return;
  keys_->rotate(address, now_, overlap, population_[address].clock.at(now_), *endpoint);
  touch(address);
  settle_touched();
}

void World::rotate_site_key(const Party& site_manager) {
  end_all_quiet();
  const Address address = address_of(site_manager);
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(population_[address])) return;
  if (!keys_->rotate_site(address, now_, population_[address].clock.at(now_), *endpoint)) return;
  touch(address);
  settle_touched();
}

/// Peers dial with the new key at the time that they were told, or when their operator tells them.
void World::take_key(const Party& party) {
  end_all_quiet();
  const Address address = address_of(party);
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(population_[address])) return;
  if (!keys_->take_next(address, now_, population_[address].clock.at(now_), *endpoint)) return;
  dial_again(address, std::nullopt);
  touch(address);
  for (Address other = 0; other < population_.size(); ++other) {
    if (!endpoint_of(other) || stalls(population_[other])) continue;
    dial_again(other, address);
    touch(other);
  }
  settle_touched();
}

void World::revoke_key(const Party& party) {
  end_all_quiet();
  keys_->revoke(address_of(party));
  const Address address = address_of(site_manager_of(party.site));
  Actor& actor = population_[address];
  Endpoint* const endpoint = endpoint_of(address);
  if (!endpoint || stalls(actor)) return;  // read at its next start
  endpoint->admit(actor.clock.at(now_), admission_of(actor));
  touch(address);
  settle_touched();
}

void World::mend_keys() {
  if (!keys_) return;
  end_all_quiet();
  for (Address address = 0; address < population_.size(); ++address) {
    if (keys_->is_revoked(address)) {
      restart(population_.party(address));
    } else if (Endpoint* const endpoint = endpoint_of(address)) {
      keys_->recertify(address, now_, population_[address].clock.at(now_), *endpoint);
      touch(address);
    }
  }
  // A site that missed a revocation reads it now.
  for (Address address = 0; address < population_.size(); ++address)
    if (Endpoint* const endpoint = endpoint_of(address);
        endpoint && population_.party(address).role == Role::site_manager)
      endpoint->admit(population_[address].clock.at(now_), admission_of(population_[address]));
  for (Address address = 0; address < population_.size(); ++address)
    if (endpoint_of(address)) dial_again(address, std::nullopt);
  settle_touched();
}

void World::impersonate(const Party& impostor, const Party& victim) {
  end_all_quiet();
  const Address from = address_of(impostor);
  if (population_[from].dials.empty()) return;
  const Address listener = population_[from].dials.front();
  const auto connection = network_.connection_between(from, listener);
  if (connection) greet_as(victim, *connection, far_later, {});
}

/// Sends a Hello over a connection of any manager.
void World::greet_as(const Party& party, Connection connection, std::uint64_t incarnation, Hello greeting) {
  const Envelope envelope{.from = party,
                          .to = population_.party(network_.listener_of(connection)),
                          .incarnation = incarnation,
                          .trace = {},
                          .hint = {},
                          .message = std::move(greeting)};
  network_.send(now_, network_.dialler_of(connection), connection, std::string(codec_->encode(envelope)));
}

void World::clone(const Party& party) {
  end_all_quiet();
  const Address address = address_of(party);
  if (population_[address].dials.empty()) return;
  const Connection connection = network_.connect(address, population_[address].dials.front());
  keys_->open(connection, address);
  Hello greeting;
  greeting.instance = another_machine + address;
  greeting.certificate = keys_->certificate_of(address);
  greet_as(party, connection, (starts_of(party) << 20) + 1, std::move(greeting));
}

}  // namespace dmm
