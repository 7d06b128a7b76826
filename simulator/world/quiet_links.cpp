// Computes the Beats that aren't played; see quiet_links.hpp.
#include "simulator/world/quiet_links.hpp"

#include <tuple>
#include <utility>

#include "links/stamps.hpp"

namespace dmm {
namespace {

/// When the n-th Beat leaves, from 1.
Instant nth(const QuietBeats& beats, std::uint64_t n) {
  return beats.due + beats.pause * static_cast<std::int64_t>(n - 1);
}
std::uint64_t sent_by(Instant now, const QuietBeats& beats) {
  if (now < beats.due) return 0;
  return static_cast<std::uint64_t>((now - beats.due).microseconds / beats.pause.microseconds) + 1;
}

}  // namespace

std::array<QuietBeats, 2>& QuietLinks::begin(Connection connection) {
  if (connection >= links_.size()) links_.resize(connection + 1);
  Link& link = links_[connection];
  link.quiet = true;
  return link.beats;
}

/// How many Beats of one direction have arrived by an instant.
std::uint64_t QuietLinks::arrived(Instant now, const Network& network, Connection connection, bool to_listener,
                                  const QuietBeats& beats) {
  std::uint64_t n = sent_by(now, beats);
  while (n > 0 && network.arrival(nth(beats, n), connection, to_listener) > now) --n;
  return n;
}

/// Stamp and echo of the n-th Beat of one direction: it echoes the latest Beat that arrived in the other.
QuietLinks::Stamps QuietLinks::stamps_of(const Network& network, Connection connection, bool to_listener,
                                         std::uint64_t n) const {
  const QuietBeats &ours = links_[connection].beats[to_listener], &theirs = links_[connection].beats[!to_listener];
  const Instant leaves = nth(ours, n);
  Stamp heard = ours.heard;
  Instant heard_at = ours.heard_at;
  if (const std::uint64_t came = arrived(leaves, network, connection, !to_listener, theirs); came > 0) {
    heard = stamp_at(nth(theirs, came));
    heard_at = network.arrival(nth(theirs, came), connection, !to_listener);
  }
  return {stamp_at(leaves), later(heard, leaves - heard_at)};
}

/// Which Beats of one direction measured the round trip for their receiver: the first, if the receiver was to
/// measure, and the first after the receiver's own first Beat has left.
void QuietLinks::measure(Instant now, const Network& network, Connection connection, bool to_listener,
                         QuietPast& passed) const {
  const QuietBeats &beats = links_[connection].beats[to_listener],
                   &receiver = links_[connection].beats[!to_listener];
  passed.measuring = receiver.measuring;
  bool talked = receiver.talked;
  for (std::uint64_t n = 1; n <= passed.arrived && (passed.measuring || talked); ++n) {
    const Instant arrived = network.arrival(nth(beats, n), connection, to_listener);
    if (arrived > receiver.due) passed.measuring |= std::exchange(talked, false);
    if (std::exchange(passed.measuring, false))
      passed.measured.push_back({arrived, stamps_of(network, connection, to_listener, n).second});
  }
  const bool receiver_beat = sent_by(now, receiver) > 0;
  passed.measuring |= talked && receiver_beat;
  passed.talked = talked && !receiver_beat;
}

QuietPast QuietLinks::pass(Instant now, Network& network, Connection connection, bool to_listener,
                           Codec& codec) const {
  const QuietBeats& beats = links_[connection].beats[to_listener];
  QuietPast passed;
  passed.sent = sent_by(now, beats);
  if (passed.sent > 0) passed.arrived = arrived(now, network, connection, to_listener, beats);
  measure(now, network, connection, to_listener, passed);
  if (passed.sent == 0) return passed;
  passed.last_sent = nth(beats, passed.sent);
  passed.acknowledged = beats.acknowledged;
  if (passed.arrived > 0) {
    passed.last_arrived = network.arrival(nth(beats, passed.arrived), connection, to_listener);
    std::tie(passed.stamp, passed.echo) = stamps_of(network, connection, to_listener, passed.arrived);
  }
  // All these Beats have the same length.
  network.account(connection, passed.sent, Endpoint::frame_of(beats, first_stamp, first_stamp, codec).size());
  return passed;
}

QuietLinks::Ended QuietLinks::end(Instant now, Network& network, Connection connection, Codec& codec) {
  Link& link = links_[connection];
  link.quiet = false;
  Ended ended{pass(now, network, connection, false, codec), pass(now, network, connection, true, codec)};
  // Make all frames before putting any under way, which changes the arrival of the next.
  struct UnderWay {
    bool to_listener = false;
    Instant sent{};
    std::string bytes;
  };
  std::vector<UnderWay> under_way;
  for (const bool to_listener : {false, true}) {
    const QuietPast& passed = to_listener ? ended.to_listener : ended.to_dialler;
    for (std::uint64_t n = passed.arrived + 1; n <= passed.sent; ++n) {
      const auto [stamp, echo] = stamps_of(network, connection, to_listener, n);
      const QuietBeats& beats = link.beats[to_listener];
      under_way.push_back(
          {to_listener, nth(beats, n), std::string(Endpoint::frame_of(beats, stamp, echo, codec))});
    }
  }
  for (UnderWay& beat : under_way) network.resume(beat.sent, connection, beat.to_listener, std::move(beat.bytes));
  return ended;
}

std::vector<Connection> QuietLinks::all() const {
  std::vector<Connection> quiet;
  for (Connection connection = 0; connection < links_.size(); ++connection)
    if (links_[connection].quiet) quiet.push_back(connection);
  return quiet;
}

}  // namespace dmm
