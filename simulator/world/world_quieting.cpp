// When links of a world fall quiet, and what ends that; see quiet_links.hpp.
#include <algorithm>

#include "simulator/world/world.hpp"

namespace dmm {

Endpoint* World::endpoint_of(Address address) {
  Endpoint* endpoint = nullptr;
  population_[address].driver.visit([&](auto& driver) { endpoint = &driver.endpoint; });
  return endpoint;
}

/// Whether a manager's Beats leave exactly when they are due, as far as is known.
bool World::is_regular(const Actor& actor) const {
  return !stalls(actor) && actor.commit_max == Duration{} && actor.clock.is_right();
}

/// Whether nothing is under way over the connection, and both ends would send only Beats.
bool World::may_fall_quiet(Connection connection) {
  if (quiet_.contains(connection) || !network_.is_calm(connection)) return false;
  const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
  if (!is_regular(population_[dialler]) || !is_regular(population_[listener])) return false;
  const Endpoint *one = endpoint_of(dialler), *other = endpoint_of(listener);
  if (!one || !other || !one->is_quiet(now_, connection, population_.party(listener))) return false;
  if (!other->is_quiet(now_, connection, population_.party(dialler))) return false;
  const auto is_in_time = [&](const Endpoint& from, const Party& to, const Endpoint& at, bool to_listener) {
    const Instant arrives = network_.arrival(from.next_beat(to), connection, to_listener);
    return at.has_heard_all_of(from) && arrives < at.waits_until(from.settings().self);
  };
  return is_in_time(*one, population_.party(listener), *other, true) &&
         is_in_time(*other, population_.party(dialler), *one, false);
}

/// Everything that arrived in this step has been answered, so the next messages may be only signs of life.
void World::fall_quiet() {
  for (const Connection connection : std::exchange(used_, {})) {
    if (!settings_.skips_quiet || !may_fall_quiet(connection)) continue;
    const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
    quiet_.begin(connection, endpoint_of(dialler)->fall_quiet(population_.party(listener)),
                 endpoint_of(listener)->fall_quiet(population_.party(dialler)));
    look_ahead(dialler);
    look_ahead(listener);
  }
}

/// A manager needn't wake for the Beats of a link that has fallen quiet.
void World::look_ahead(Address address) {
  const Actor& actor = population_[address];
  population_[address].driver.visit([&](auto& driver) {
    driver.endpoint.look_ahead();
    wakes_.set(address, std::max(now_ + microseconds(1), std::min(driver.next_deadline(), report_due(actor))));
  });
}

void World::end_quiet(Connection connection) {
  if (!quiet_.contains(connection)) return;
  const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
  const auto [to_dialler, to_listener] = quiet_.end(now_, network_, connection, *codec_);
  const auto tell = [&](Address address, Address peer, const QuietPast& out, const QuietPast& in) {
    Endpoint* endpoint = endpoint_of(address);
    if (!endpoint) return;
    endpoint->end_quiet(population_.party(peer), out, in);
    wakes_.set(address, std::min(wakes_.of(address), endpoint->next_deadline()));
  };
  tell(dialler, listener, to_listener, to_dialler);
  tell(listener, dialler, to_dialler, to_listener);
}

void World::end_all_quiet() {
  for (const Connection connection : quiet_.all()) end_quiet(connection);
}

}  // namespace dmm
