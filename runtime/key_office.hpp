// The keys of a daemon while it runs. The office signs for managers of its site, keeps certificates that the site made,
// replaces an old link key by a new one, and follows the keys of peers. It keeps the revocations that it hears of.
//
// A site manager tells its peers which link key it listens with next, and from when on. Other managers ask their site
// to certify the new key, and use it at once. When a manager listens with another key, connections that peers opened to
// it are lost, and are opened again with that key. Sessions don't depend on the key of a connection.
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
#include "runtime/heard_revocations.hpp"
#include "runtime/keyring.hpp"

namespace dmm {

/// What is to be done about connections.
struct KeyChanges {
  std::optional<LinkSecret> proves;  ///< listeners and new connections prove this key from now on
  std::vector<DialWanted> redials;   ///< peers to be dialled again, each with the key that is tried for it
};

class KeyOffice {
 public:
  /// `directory`: the daemon's. If it is empty, the office keeps nothing and has no keys.
  KeyOffice(std::string directory, Party self, std::optional<Keyring> keyring)
      : directory_(std::move(directory)),
        self_(std::move(self)),
        keyring_(std::move(keyring)),
        followed_(directory_),
        heard_(directory_) {}

  /// Continues what an earlier start left. An error text, or empty.
  WhyNot begin(Instant now, Endpoint& endpoint);

  /// Does what the endpoint asks, and what is due. `log` gets what is to be logged.
  void perform(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log);
  Instant next_deadline() const { return std::min({next_at_, follow_at_, attempt_at_}); }
  KeyChanges take_changes() { return std::exchange(changes_, {}); }

  /// The answer to "rotate"; nothing for any other verb. Another link key takes the place of ours. A site manager's
  /// does so after an overlap, in which its peers hear of it; any other's as soon as the site has certified it. Or
  /// another key takes the place of the site's, at once.
  std::optional<Answer> answer(Instant now, const Ask& ask, Endpoint& endpoint);

  /// A connection to the peer is to be kept, at the endpoint of the configuration. Returns the endpoint with the key to
  /// be tried first, by what the peer announced.
  std::string dial(const Party& peer, const std::string& endpoint);
  /// The connection to the peer is no longer kept.
  void drop(const Party& peer) { dialled_.erase(peer); }

 private:
  struct Dialled {
    std::string configured, used;  ///< endpoints, with their keys
    std::size_t attempt = 0;       ///< how often another key was tried since the peer was last there
  };
  bool is_site() const { return self_.role == Role::site_manager; }
  void on(Instant now, Endpoint& endpoint, const KeyNeeded& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateAsked& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateHeard& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const NextKeyHeard& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const RevocationHeard& event, std::vector<LogEvent>& log);
  void take_next(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log);
  void wait_for_turn(Instant now);
  OrFault<WallSeconds> rotate(Instant now, Duration overlap, Endpoint& endpoint);
  OrFault<SiteKey> rotate_site(Instant now, Endpoint& endpoint);
  void prove_with(const LinkSecret& secret);
  void redial(const Party& peer, Dialled& dialled, std::size_t attempt);
  void follow(Instant now);
  void try_other_keys(Instant now, const Endpoint& endpoint);
  WhyNot fault_of(const CertificateAsked& asked, const SiteSigner& signer) const;

  std::string directory_;
  Party self_;
  std::optional<Keyring> keyring_;
  std::optional<Keyring> next_;  ///< replaces keyring_ at next_at_, or when its certificate comes
  Instant next_at_ = never;
  FollowedKeys followed_;
  HeardRevocations heard_;
  Instant follow_at_{};         ///< when a peer begins to listen with another key
  Instant attempt_at_ = never;  ///< when another key is tried for peers that aren't there
  std::map<Party, Dialled> dialled_;
  KeyChanges changes_;
};

}  // namespace dmm
