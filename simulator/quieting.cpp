// When links of a world fall quiet, and what ends it; see quiet_links.hpp.
#include <algorithm>

#include "simulator/world.hpp"

namespace dmm {

Endpoint* World::endpoint_of(Address address) {
  Endpoint* endpoint = nullptr;
  std::visit(
      [&](auto& process) {
        if constexpr (requires { process.machine; }) endpoint = &process.endpoint;
      },
      actors_[address]->process);
  return endpoint;
}

/// Whether a manager's beats leave exactly when they are due, as far as anybody knows.
bool World::is_regular(const Actor& actor) const {
  return !stalls(actor) && actor.commit_max == Duration{} && actor.clock.is_right();
}

/// A frame came that was nothing but a sign of life.
void World::fall_quiet(Connection connection) {
  if (!settings_.skips_quiet || quiet_.contains(connection) || !network_.is_calm(connection)) return;
  const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
  if (!is_regular(*actors_[dialler]) || !is_regular(*actors_[listener])) return;
  Endpoint *one = endpoint_of(dialler), *other = endpoint_of(listener);
  if (!one || !other || !one->is_quiet(now_, connection, parties_[listener])) return;
  if (!other->is_quiet(now_, connection, parties_[dialler])) return;
  if (!one->has_heard_hint_of(*other) || !other->has_heard_hint_of(*one)) return;
  quiet_.begin(connection, one->fall_quiet(parties_[listener]), other->fall_quiet(parties_[dialler]));
}

void World::end_quiet(Connection connection) {
  if (!quiet_.contains(connection)) return;
  const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
  const auto [to_dialler, to_listener] = quiet_.end(now_, network_, connection, *codec_);
  const auto tell = [&](Address address, Address peer, const QuietPast& out, const QuietPast& in) {
    Endpoint* endpoint = endpoint_of(address);
    if (!endpoint) return;
    endpoint->end_quiet(parties_[peer], out, in);
    wakes_.set(address, std::min(wakes_.of(address), endpoint->next_deadline()));
  };
  tell(dialler, listener, to_listener, to_dialler);
  tell(listener, dialler, to_dialler, to_listener);
}

void World::end_all_quiet() {
  for (const Connection connection : quiet_.all()) end_quiet(connection);
}

}  // namespace dmm
