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
  std::vector<Party> redials;        ///< peers that listen with another key now
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
  Instant next_deadline() const { return std::min(next_at_, follow_at_); }
  KeyChanges take_changes() { return std::exchange(changes_, {}); }

  /// Another link key takes the place of ours: a site manager's after `overlap`, in which its peers hear of it;
  /// any other's as soon as the site has certified it. When, in seconds since 1970.
  OrFault<WallSeconds> rotate(Instant now, Duration overlap, Endpoint& endpoint);

  /// The endpoint at which a peer is dialled, by the keys that it announced.
  std::string endpoint_for(const Party& peer, const std::string& endpoint, std::size_t attempt);
  bool has_choice(const Party& peer) const;

  const std::optional<Keyring>& keyring() const { return keyring_; }

 private:
  bool is_site() const { return self_.role == Role::site_manager; }
  void on(Instant now, Endpoint& endpoint, const KeyNeeded& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateAsked& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const CertificateHeard& event, std::vector<LogEvent>& log);
  void on(Instant now, Endpoint& endpoint, const NextKeyHeard& event, std::vector<LogEvent>& log);
  void take_next(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log);
  void wait_for_turn(Instant now);
  void follow(Instant now);
  OrFault<SiteSecret> signer() const;
  WhyNot fault_of(const CertificateAsked& asked, const SiteSecret& secret) const;

  std::string directory_;
  Party self_;
  std::optional<Keyring> keyring_;
  std::optional<Keyring> next_;  ///< takes its place at next_at_, or when its certificate comes
  Instant next_at_ = never;
  FollowedKeys followed_;
  Instant follow_at_{};  ///< when a peer listens with another key
  struct Dialled {
    std::string configured, used;  ///< endpoints, with their keys
  };
  std::map<Party, Dialled> dialled_;
  KeyChanges changes_;
};

/// The overlap that the question "rotate" wants, or what is wrong with it; nothing if it is another question.
std::optional<OrFault<Duration>> overlap_asked(const Ask& ask);

/// The answer to "rotate".
Answer rotated(const Ask& ask, const OrFault<WallSeconds>& from);

}  // namespace dmm
