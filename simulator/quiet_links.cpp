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

QuietLinks::Passed QuietLinks::pass(Instant now, Network& network, Connection connection, bool to_listener,
                                    const QuietBeats& beats) {
  Passed passed;
  if (now < beats.due) return passed;
  const auto nth = [&](std::uint64_t n) { return beats.due + beats.pause * static_cast<std::int64_t>(n - 1); };
  passed.sent = static_cast<std::uint64_t>((now - beats.due).microseconds / beats.pause.microseconds) + 1;
  passed.last_sent = nth(passed.sent);
  passed.arrived = passed.sent;
  while (passed.arrived > 0 && network.arrival(nth(passed.arrived), connection, to_listener) > now) --passed.arrived;
  if (passed.arrived > 0) passed.last_arrived = network.arrival(nth(passed.arrived), connection, to_listener);
  network.account(connection, passed.sent, beats.frame.size());
  for (std::uint64_t n = passed.arrived + 1; n <= passed.sent; ++n)
    network.resume(nth(n), connection, to_listener, beats.frame);
  return passed;
}

QuietLinks::Ended QuietLinks::end(Instant now, Network& network, Connection connection) {
  Link& link = links_[connection];
  link.quiet = false;
  return {pass(now, network, connection, false, link.beats[false]),
          pass(now, network, connection, true, link.beats[true])};
}

std::vector<Connection> QuietLinks::all() const {
  std::vector<Connection> quiet;
  for (Connection connection = 0; connection < links_.size(); ++connection)
    if (links_[connection].quiet) quiet.push_back(connection);
  return quiet;
}

}  // namespace dmm
