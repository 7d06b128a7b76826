// What an endpoint asks of, or tells, the office that keeps the keys of its process (runtime/key_office.hpp).
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "keys/certificate.hpp"
#include "protocol/ids.hpp"

namespace dmm {

/// Our site speaks with keys, and we have none: a link key is to be made.
struct KeyNeeded {};

/// A manager of our site wants a certificate for a link key; or we do, as the site's manager.
struct CertificateAsked {
  Party party;
  LinkKey link;
  std::optional<LinkKey> by;  ///< the key that the manager proved when it asked; none: it proved an account
  std::string possession;     ///< of the secret; empty of a site's manager
};

/// Our site certified a link key of ours.
struct CertificateHeard {
  LinkKey link;
  std::string certificate;
  SiteKey site;
};

/// A peer that we dial listens with another link key from then on.
struct NextKeyHeard {
  Party peer;
  LinkKey link;
  WallSeconds from = 0;
};

/// A site manager says that a link key of a site is revoked. The word of our own site's manager is on keys of any site.
struct RevocationHeard {
  SiteName teller, site;
  LinkKey link;
};

using KeyEvent = std::variant<KeyNeeded, CertificateAsked, CertificateHeard, NextKeyHeard, RevocationHeard>;

}  // namespace dmm
