// Messages by which managers learn keys: a site vouches for keys of sites, and certifies the link keys of its managers.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"

namespace dmm {

/// The key of a site, as letters.
struct SiteVouch {
  SiteName site;
  std::string key;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.key);
  }
};

/// A revoked link key of a site's manager or person, as letters.
struct RevokedKey {
  SiteName site;
  std::string link;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.link);
  }
};

/// A site manager vouches for the keys of sites, its own among them, so that the receiver knows managers of sites that
/// are farther away. It also tells which of their managers' keys are revoked.
struct Vouch {
  std::vector<SiteVouch> sites;
  std::vector<RevokedKey> revoked;
  /// A certificate: from its `from` on, the sender listens with this link key. Empty: with the present one.
  std::string next;
  DMM_MESSAGE(6, self.sites, self.revoked, self.next)
};

/// A manager asks its site to certify that a link key is the manager's: before its certificate ends, or for a new
/// key.
struct Certify {
  std::string link;        ///< the key, as letters
  std::string possession;  ///< shows that the manager has its secret (keys/seals.hpp)
  DMM_MESSAGE(7, self.link, self.possession)
};

/// The site's answer: a certificate, as letters.
struct Certified {
  std::string certificate;
  DMM_MESSAGE(8, self.certificate)
};

}  // namespace dmm
