// The keys of a world's managers, and the offices that keep them: link keys that connections prove, certificates
// that sites sign and sign again, keys that take the place of others, and keys that are revoked. As in the daemons
// (runtime/key_office.hpp), but that all secrets come of the world's seed.
//
// The secrets of a world are no secrets: nothing here is for use outside a simulation.
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
  /// `life`: of a certificate.
  WorldKeys(std::uint64_t seed, Duration life) : random_(seed), life_(life) {}

  /// A manager that lives at this address; a site manager brings the key of its site.
  void add(Address address, const Party& party);
  /// A manager starts: its operator sees to it that the certificate is good, and that its key isn't revoked.
  void equip(Address address, Instant now);
  /// What the manager proves itself with.
  void fill(Address address, EndpointSettings& settings) const;
  /// What the configuration of a site manager says of its neighbours' keys and of revoked ones; of another
  /// manager, of its site's key alone.
  TrustSettings trust_of(const Party& party, const std::set<Party>& neighbours) const;

  /// A manager opens a connection: its key of now is what the connection proves.
  void open(Connection connection, Address dialler);
  /// What is proved of the sender of a frame.
  Principal principal(Connection connection, bool is_dialler) const;

  /// Does what the endpoint of a manager asks. Whether all that it dials is to be dialled again, with another key.
  bool serve(Address address, Instant now, Instant clock, Endpoint& endpoint);

  /// A manager is to have another key: a site manager tells its peers, any other one asks its site for a
  /// certificate.
  void rotate(Address address, Instant now, Duration overlap, Instant clock, Endpoint& endpoint);
  /// A site manager takes the key that it told its peers, if any. Whether it did.
  bool take_next(Address address, Instant clock, Endpoint& endpoint);
  LinkKey key_of(Address address) const { return public_of(holders_.at(address).secret); }
  /// The manager's operator makes a new certificate by hand.
  void recertify(Address address, Instant now, Instant clock, Endpoint& endpoint);
  /// The key that a manager has now is believed no more; it has another one from its next start on.
  void revoke(Address address);
  bool is_revoked(Address address) const;

  const std::string& certificate_of(Address address) const { return holders_.at(address).certificate; }
  std::uint64_t rotations() const { return rotations_; }
  std::uint64_t certificates() const { return certificates_; }

 private:
  struct Holder {
    Party party;
    LinkSecret secret;
    std::optional<LinkSecret> next;  ///< waits for its certificate
    std::string certificate, next_certificate;
    SealSalt salt{};
  };
  LinkSecret new_secret();
  std::string certify(const Party& party, const LinkKey& link, Instant now);

  Random random_;
  Duration life_;
  std::map<SiteName, SiteSecret> sites_;
  std::map<Address, Holder> holders_;
  std::map<Connection, LinkKey> proved_;
  std::map<SiteName, std::set<LinkKey>> revoked_;  ///< by the site of their holders
  std::uint64_t rotations_ = 0, certificates_ = 0;
};

}  // namespace dmm
