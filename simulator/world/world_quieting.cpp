// When links of a world fall quiet, and what ends that; see quiet_links.hpp.
#include <algorithm>

#include "simulator/world/world.hpp"

namespace dmm {

Endpoint* World::endpoint_of(Address address) {
  Endpoint* endpoint = nullptr;
  population_[address].driver.visit([&](auto& driver) { endpoint = &driver.endpoint; });
  return endpoint;
}

/// Both sides of a connection, the dialler first; of a manager that is down or doesn't know the other there is none.
std::array<World::LinkEnd, 2> World::ends_of(Connection connection) {
  const Address dialler = network_.dialler_of(connection), listener = network_.listener_of(connection);
  const auto end = [&](Address address, Address peer) {
    Endpoint* const endpoint = endpoint_of(address);
    return LinkEnd{address, endpoint, endpoint ? endpoint->find(population_.party(peer)) : nullptr};
  };
  return {end(dialler, listener), end(listener, dialler)};
}

/// Whether a manager's Beats leave exactly when they are due, as far as is known.
bool World::is_regular(const Actor& actor) const {
  return !stalls(actor) && actor.commit_max == Duration{} && actor.clock.is_right();
}

/// Whether nothing is under way over the connection, and both ends would send only Beats.
bool World::may_fall_quiet(Connection connection, const std::array<LinkEnd, 2>& ends) const {
  for (const LinkEnd& end : ends) {
    if (!is_regular(population_[end.address]) || !end.peer) return false;
    if (!end.endpoint->is_quiet(now_, connection, *end.peer)) return false;
  }
  const auto is_in_time = [&](const LinkEnd& from, const LinkEnd& at, bool to_listener) {
    const Instant arrives = network_.arrival(from.endpoint->next_beat(*from.peer), connection, to_listener);
    return Endpoint::has_heard_all(*at.peer, *from.peer) && arrives < at.endpoint->waits_until(*at.peer);
  };
  return is_in_time(ends[0], ends[1], true) && is_in_time(ends[1], ends[0], false);
}

/// Everything that arrived in this step has been answered, so the next messages may be only signs of life.
void World::fall_quiet() {
  for (const Connection connection : used_) {
    if (!settings_.skips_quiet || quiet_.contains(connection) || !network_.is_calm(connection)) continue;
    const std::array<LinkEnd, 2> ends = ends_of(connection);
    if (!may_fall_quiet(connection, ends)) continue;
    auto& [from_listener, from_dialler] = quiet_.begin(connection);
    ends[0].endpoint->fall_quiet(*ends[0].peer, from_dialler);
    ends[1].endpoint->fall_quiet(*ends[1].peer, from_listener);
    for (const LinkEnd& end : ends) resting_.push_back(end.address);
  }
  used_.clear();
  std::ranges::sort(resting_);
  const auto doubled = std::ranges::unique(resting_);
  resting_.erase(doubled.begin(), doubled.end());
  for (const Address address : resting_) look_ahead(address);
  resting_.clear();
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
  const auto [to_dialler, to_listener] = quiet_.end(now_, network_, connection, *codec_);
  const auto tell = [&](const LinkEnd& end, const QuietPast& out, const QuietPast& in) {
    if (!end.endpoint) return;
    if (end.peer) end.endpoint->end_quiet(*end.peer, out, in);
    wakes_.set(end.address, std::min(wakes_.of(end.address), end.endpoint->next_deadline()));
  };
  const auto [dialler, listener] = ends_of(connection);
  tell(dialler, to_listener, to_dialler);
  tell(listener, to_dialler, to_listener);
}

void World::end_all_quiet() {
  for (const Connection connection : quiet_.all()) end_quiet(connection);
}

}  // namespace dmm
