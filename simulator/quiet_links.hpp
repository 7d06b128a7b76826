// Silence costs no time: beats over a link on which nothing else happens and nothing can go wrong aren't played one by
// one. Both ends rest, and when something does happen they are told what they would have sent and heard meanwhile; what
// would be under way at that moment is put under way. All else is as if each beat had been played.
#pragma once

#include <vector>

#include "links/endpoint.hpp"
#include "simulator/network.hpp"

namespace dmm {

class QuietLinks {
 public:
  /// What has gone by over one direction of a link up to an instant.
  struct Passed {
    std::uint64_t sent = 0, arrived = 0;
    Instant last_sent{}, last_arrived{};
  };

  bool contains(Connection connection) const { return connection < links_.size() && links_[connection].quiet; }
  /// Both sides of a link rest from now on.
  void begin(Connection connection, QuietBeats from_dialler, QuietBeats from_listener);
  struct Ended {
    Passed to_dialler, to_listener;
  };
  /// The link is quiet no longer: the network counts all beats that left, and has those under way that haven't arrived.
  Ended end(Instant now, Network& network, Connection connection);
  /// All that are quiet.
  std::vector<Connection> all() const;

 private:
  struct Link {
    bool quiet = false;
    QuietBeats beats[2];  ///< of the listener, and to it
  };
  static Passed pass(Instant now, Network& network, Connection connection, bool to_listener, const QuietBeats& beats);

  std::vector<Link> links_;  ///< by connection
};

}  // namespace dmm
