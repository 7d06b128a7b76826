// The keys of a daemon while it runs. The office signs for managers of its site, keeps certificates that the site
// made, has a new link key take the place of the old one, and follows the keys of peers.
//
// A site manager tells its peers which link key it listens with next, and from when on; others ask their site to
// certify the new key, and use it at once. Connections that others opened are lost when a manager listens with
// another key, and are opened again with that key. Nothing of a session depends on the key of a connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "links/endpoint.hpp"
#include "protocol/messages.hpp"
#include "runtime/followed_keys.hpp"
#include "runtime/keyring.hpp"

namespace dmm {

/// What is to be done about connections.
struct KeyChanges {
  std::optional<LinkSecret> proves;  ///< listeners and what is dialled prove this key from now on
  std::vector<DialWanted> redials;   ///< peers to be dialled once more, with the keys that they are tried by
};

class KeyOffice {
 public:
  /// `directory`: the daemon's; empty: it keeps nothing, and has no keys.
  KeyOffice(std::string directory, Party self, std::optional<Keyring> keyring)
      : directory_(std::move(directory)),
        self_(std::move(self)),
        keyring_(std::move(keyring)),
        followed_(directory_) {}

  /// Takes up what an earlier start left. An error text, or empty.
  WhyNot begin(Instant now, Endpoint& endpoint);

  /// Does what the endpoint asks, and what is due. What is to be told is in `log`.
  void perform(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log);
  Instant next_deadline() const { return std::min({next_at_, follow_at_, attempt_at_}); }
  KeyChanges take_changes() { return std::exchange(changes_, {}); }

  /// The answer to "rotate"; nothing for any other verb. Another link key takes the place of ours: a site
  /// manager's after an overlap, in which its peers hear of it; any other's as soon as the site has certified it.
  std::optional<Answer> answer(Instant now, const Ask& ask, Endpoint& endpoint);

  /// A connection to the peer is to be kept, at the endpoint that the configuration has. The endpoint with the key
  /// to be tried first, by what the peer announced.
  std::string dial(const Party& peer, const std::string& endpoint);
  /// No connection to the peer is kept any more.
  void drop(const Party& peer) { dialled_.erase(peer); }

 private:
  struct Dialled {
    std::string configured, used;  ///< endpoints, with their keys
    std::size_t attempt = 0;       ///< how often another key was tried since the peer was there
  };
  bool is_site() const { return self_.role == Role::site_manager; }
  void on(Instant now, Endpoint& endpoint, const KeyNeeded& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateAsked& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateHeard& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const NextKeyHeard& event, std::vector<LogEvent>& log);
  void take_next(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log);
  void wait_for_turn(Instant now);
  OrFault<WallSeconds> rotate(Instant now, Duration overlap, Endpoint& endpoint);
  void prove_with(const LinkSecret& secret);
  void redial(const Party& peer, Dialled& dialled, std::size_t attempt);
  void follow(Instant now);
  void try_other_keys(Instant now, const Endpoint& endpoint);
  WhyNot fault_of(const CertificateAsked& asked, const SiteSecret& secret) const;

  std::string directory_;
  Party self_;
  std::optional<Keyring> keyring_;
  std::optional<Keyring> next_;  ///< takes its place at next_at_, or when its certificate comes
  Instant next_at_ = never;
  FollowedKeys followed_;
  Instant follow_at_{};         ///< when a peer listens with another key
  Instant attempt_at_ = never;  ///< when peers that aren't there are tried by another of their keys
  std::map<Party, Dialled> dialled_;
  KeyChanges changes_;
};

}  // namespace dmm
