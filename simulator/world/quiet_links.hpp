// Quiet links cost no time: their Beats aren't played one by one while nothing else happens and nothing can go wrong.
// Both ends rest. When something happens, they are told what they would have sent and heard meanwhile, and Beats that
// would be under way then are put under way. All else is as if each Beat had been played.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "links/endpoint.hpp"
#include "simulator/world/network.hpp"

namespace dmm {

class QuietLinks {
 public:
  bool contains(Connection connection) const { return connection < links_.size() && links_[connection].quiet; }
  /// Both ends of a link rest from now on. The beats of the listener and of the dialler are to be set.
  std::array<QuietBeats, 2>& begin(Connection connection);
  struct Ended {
    QuietPast to_dialler, to_listener;
  };
  /// Ends the quiet of a link. The network counts all Beats that left, and gets those under way that haven't arrived.
  Ended end(Instant now, Network& network, Connection connection, Codec& codec);
  /// All quiet connections.
  std::vector<Connection> all() const;

 private:
  struct Link {
    bool quiet = false;
    std::array<QuietBeats, 2> beats;  ///< of the listener; and of the dialler, so to the listener
  };
  using Stamps = std::pair<Stamp, Stamp>;  ///< stamp and echo
  static std::uint64_t arrived(Instant now, const Network& network, Connection connection, bool to_listener,
                               const QuietBeats& beats);
  Stamps stamps_of(const Network& network, Connection connection, bool to_listener, std::uint64_t n) const;
  void measure(Instant now, const Network& network, Connection connection, bool to_listener,
               QuietPast& passed) const;
  QuietPast pass(Instant now, Network& network, Connection connection, bool to_listener, Codec& codec) const;

  std::vector<Link> links_;  ///< by connection
};

}  // namespace dmm
