// Which sites are known by their keys: those of the configuration, and those that site managers vouched for. A
// site's key says which managers are the site's (keys/certificate.hpp).
//
// The configuration has the last word. Otherwise the first word on a site stays: a neighbour that vouches for
// another key of a known site is not believed. A site that replaces its key has the former key sign the new one
// (succeeded_keys.hpp); then it is known by both.
//
// Which link keys are revoked spreads the same way. For a site of the configuration its own word alone counts, and
// for other sites that of any site manager. Other managers take their own site's word for all keys. What each site
// manager may tell is bounded (told_keys.hpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keys/certificate.hpp"
#include "links/succeeded_keys.hpp"
#include "links/told_keys.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What the configuration says.
struct TrustSettings {
  std::map<SiteName, SiteKey> sites;
  std::set<LinkKey> revoked;  ///< link keys that are believed no more
};

/// What a certificate proved of a peer on a connection with this link key.
struct Proof {
  LinkKey link;
  Party party;
  Right right = Right::none;
  WallSeconds from = 0, until = 0;
  bool is_certified = true;  ///< no: a client that proved a link key alone
};

class Trust {
 public:
  void configure(TrustSettings settings);
  /// A site manager vouches for a site.
  Learned learn(const Teller& teller, const SiteName& site, const SiteKey& key);
  /// A site manager says that a link key of a site is revoked.
  Learned learn_revoked(const Teller& teller, const SiteName& site, const LinkKey& link);
  /// The same of a key of any site, as the manager of our own site says.
  Learned learn_revoked(const LinkKey& link);
  /// Whether the configuration has the key of the site.
  bool is_configured(const SiteName& site) const { return configured_.sites.contains(site); }
  /// The key that the site signs with now; null if the site isn't known.
  const SiteKey* find(const SiteName& site) const;
  /// Takes note of a newer key of a site that the certificate shows. The site, if there is one.
  std::optional<SiteName> follow(std::string_view certificate);
  bool is_revoked(const SiteName& site, const LinkKey& link) const {
    return configured_.revoked.contains(link) || revoked_by_ours_.contains(link) || told_.is_revoked(site, link);
  }
  /// All that we, as the manager of this site, vouch for.
  Vouch vouch(const SiteName& self) const;

  /// What the certificate proves of the far end that has this link key; or why it proves nothing.
  OrFault<Proof> prove(const LinkKey& link, std::string_view certificate, WallSeconds now) const;
  /// Which party has the link key that the certificate names, if that is valid now. The sender need not have the
  /// key.
  OrFault<Proof> prove(std::string_view certificate, WallSeconds now) const;
  /// A certificate of a known site, whenever it is valid.
  OrFault<Certificate> read(std::string_view certificate) const;

 private:
  /// The key by which the site became known.
  const SiteKey* first_of(const SiteName& site) const;

  TrustSettings configured_;
  std::set<LinkKey> revoked_by_ours_;  ///< as the manager of our own site says
  ToldKeys told_;
  SucceededKeys succeeded_;
};

/// Whether the proof lets its holder speak for a party: for itself, and as a client.
bool may_speak_for(const Proof& proof, const Party& party);

/// Whether the newcomer's proof is of the holder of the present one: the same link key, or the same certified party.
bool is_same_holder(const Proof& present, const Proof& newcomer);

/// What the holder of the proof may ask of us as a client.
Right right_of(const Proof& proof, const Party& self);

}  // namespace dmm
