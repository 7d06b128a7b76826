// See quiet_links.hpp.
#include "simulator/quiet_links.hpp"

#include <utility>

namespace dmm {

void QuietLinks::begin(Connection connection, QuietBeats from_dialler, QuietBeats from_listener) {
  if (connection >= links_.size()) links_.resize(connection + 1);
  Link& link = links_[connection];
  link.quiet = true;
  link.beats[true] = std::move(from_dialler);
  link.beats[false] = std::move(from_listener);
}

QuietLinks::Passed QuietLinks::passed(Instant now, const Network& network, Connection connection,
                                      bool to_listener) const {
  const QuietBeats& beats = links_[connection].beats[to_listener];
  Passed passed;
  if (now < beats.due) return passed;
  const auto nth = [&](std::uint64_t n) { return beats.due + beats.pause * static_cast<std::int64_t>(n - 1); };
  passed.sent = static_cast<std::uint64_t>((now - beats.due).microseconds / beats.pause.microseconds) + 1;
  passed.last_sent = nth(passed.sent);
  passed.arrived = passed.sent;
  while (passed.arrived > 0 && network.arrival(nth(passed.arrived), connection, to_listener) > now) --passed.arrived;
  if (passed.arrived > 0) passed.last_arrived = network.arrival(nth(passed.arrived), connection, to_listener);
  return passed;
}

void QuietLinks::catch_up(Instant now, Network& network, Connection connection) {
  for (const bool to_listener : {false, true}) {
    const Passed gone = passed(now, network, connection, to_listener);
    const QuietBeats& beats = links_[connection].beats[to_listener];
    network.account(connection, gone.sent, beats.frame.size());
    for (std::uint64_t left = gone.sent - gone.arrived; left > 0; --left)
      network.resume(gone.last_sent - beats.pause * static_cast<std::int64_t>(left - 1), connection, to_listener,
                     beats.frame);
  }
}

std::vector<Connection> QuietLinks::all() const {
  std::vector<Connection> quiet;
  for (Connection connection = 0; connection < links_.size(); ++connection)
    if (links_[connection].quiet) quiet.push_back(connection);
  return quiet;
}

}  // namespace dmm
