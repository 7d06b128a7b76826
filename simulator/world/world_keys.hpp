// The keys of a world's managers, and the key offices: link keys that connections prove, certificates that sites sign
// and renew, keys that replace others, and revoked keys. As in the daemons (runtime/key_office.hpp), but all secrets
// come from the world's seed.
//
// These secrets are predictable: never use them outside a simulation.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "links/endpoint.hpp"
#include "simulator/world/network.hpp"
#include "workloads/random.hpp"

namespace dmm {

class WorldKeys {
 public:
  /// `life`: validity of a certificate.
  WorldKeys(std::uint64_t seed, Duration life) : random_(seed), life_(life) {}

  /// Adds a manager at this address; a site manager adds the key of its site.
  void add(Address address, const Party& party);
  /// A manager starts. Its operator makes sure that its certificate is valid and its key isn't revoked.
  void equip(Address address, Instant now);
  /// A manager that was started knows what earlier starts heard.
  void recall(Address address, Endpoint& endpoint) const;
  /// Fills in the keys and certificate of a manager.
  void fill(Address address, EndpointSettings& settings) const;
  /// For a site manager: its neighbours' keys and revoked keys, as configured. For another manager: only its site's
  /// key.
  TrustSettings trust_of(const Party& party, const std::set<Party>& neighbours) const;

  /// A manager opens a connection, which proves the manager's present key.
  void open(Connection connection, Address dialler);
  /// The proved identity of a frame's sender.
  Principal principal(Connection connection, bool is_dialler) const;

  /// Does what a manager's endpoint asks. Returns whether all its connections are to be dialled again, with another
  /// key.
  bool serve(Address address, Instant now, Instant clock, Endpoint& endpoint);

  /// Gives a manager another key: a site manager tells its peers, any other manager asks its site for a certificate.
  void rotate(Address address, Instant now, Duration overlap, Instant clock, Endpoint& endpoint);
  /// A site manager starts to use the key that it told its peers, once the time for it has come. Returns whether it
  /// did.
  bool take_next(Address address, Instant now, Instant clock, Endpoint& endpoint);
  LinkKey key_of(Address address) const { return public_of(holders_.at(address).secret); }
  /// Gives a site another site key, unless as many have followed the first one as a certificate can show. Returns
  /// whether it did.
  bool rotate_site(Address site_manager, Instant now, Instant clock, Endpoint& endpoint);
  /// The manager's operator makes a new certificate by hand.
  void recertify(Address address, Instant now, Instant clock, Endpoint& endpoint);
  /// Revokes a manager's present key; from its next start on the manager has another one.
  void revoke(Address address);
  bool is_revoked(Address address) const;

  const std::string& certificate_of(Address address) const { return holders_.at(address).certificate; }
  std::uint64_t rotations() const { return rotations_; }
  std::uint64_t site_rotations() const { return site_rotations_; }
  std::uint64_t certificates() const { return certificates_; }

 private:
  struct Holder {
    Party party;
    LinkSecret secret;
    std::optional<LinkSecret> next;  ///< waits for its certificate, or its time
    Instant next_at{};
    std::string certificate, next_certificate;
    SealSalt salt{};
    std::vector<RevocationHeard> heard;  ///< what site managers told it, over its restarts
  };
  LinkSecret new_secret();
  std::string certify(const Party& party, const LinkKey& link, Instant now);

  Random random_;
  Duration life_;
  std::map<SiteName, SiteSigner> sites_;
  std::map<SiteName, SiteKey> told_;  ///< by which neighbours know the sites: their first keys
  std::map<Address, Holder> holders_;
  std::map<Connection, LinkKey> proved_;
  std::map<SiteName, std::set<LinkKey>> revoked_;  ///< by the site of their holders
  std::uint64_t rotations_ = 0, site_rotations_ = 0, certificates_ = 0;
};

}  // namespace dmm
