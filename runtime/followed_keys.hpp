// The link keys that peers announced to listen with next. So an endpoint in a configuration still leads to its peer
// after the peer has changed its link key, without an edit.
//
//   keys/followed.json   in a manager's directory: by peer, the key in the configuration and those that came after
//   it
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "keys/certificate.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

class FollowedKeys {
 public:
  /// Keys that are kept in `folder`; if it is empty, none are kept.
  explicit FollowedKeys(std::string folder) : folder_(std::move(folder)) {}
  WhyNot read();

  /// A peer announced that it listens with this key from `from` on. `endpoint`: where it is dialled, as in the
  /// configuration.
  WhyNot hear(const Party& peer, const std::string& endpoint, const LinkKey& link, WallSeconds from);

  /// The endpoint with the key to be tried: first the newest that the peer may use by now, in later attempts the others
  /// in turn.
  std::string endpoint_for(const Party& peer, const std::string& endpoint, std::size_t attempt,
                           WallSeconds now) const;
  /// When the next of the peer's keys takes its turn; 0 if none does.
  WallSeconds next_turn(const Party& peer, const std::string& endpoint, WallSeconds now) const;
  /// Whether the peer may use more than one key now.
  bool has_choice(const Party& peer, const std::string& endpoint) const {
    return keys_of(peer, endpoint) != nullptr;
  }

 private:
  /// The keys that are kept of a peer, at most: the one that it uses, and the next.
  static constexpr std::size_t keys_max = 2;
  struct Later {
    LinkKey link;
    WallSeconds from = 0;
  };
  struct Followed {
    LinkKey configured;        ///< the key that the endpoint names
    std::vector<Later> later;  ///< in the order in which they take their turn
  };
  const Followed* keys_of(const Party& peer, const std::string& endpoint) const;
  WhyNot write() const;

  std::string folder_;
  std::map<std::string, Followed> peers_;  ///< by the text of the party
};

}  // namespace dmm
