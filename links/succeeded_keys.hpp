// Sites that replaced their keys: the keys that each has had, as certificates of its managers showed.
#pragma once

#include <map>
#include <vector>

#include "keys/certificate.hpp"
#include "keys/succession.hpp"

namespace dmm {

class SucceededKeys {
 public:
  /// Takes note of the successions that a certificate shows, if `known`, the key by which we know the site, is one of
  /// their keys, and the last of them signed the certificate. Later ones must follow those that were noted. Returns
  /// whether the site has a newer key than we knew.
  bool follow(const UnverifiedCertificate& shown, const SiteKey& known);

  /// The key that the site signs with now.
  const SiteKey& newest(const SiteName& site, const SiteKey& known) const;
  /// The certificate if one of the site's keys signed it; else a fault. A former key counts for what it signed before
  /// it was replaced, and for the life of a certificate.
  OrFault<Certificate, CertificateFault> verify(const UnverifiedCertificate& shown, const SiteKey& known) const;

  /// Forgets the keys of a site that is now known by a key that isn't among them.
  template <class Find>
  void keep_those_of(const Find& find) {
    std::erase_if(sites_, [&](const auto& entry) {
      const SiteKey* const known = find(entry.first);
      return !known || !has(entry.second, *known);
    });
  }

 private:
  using Successions = std::vector<Succession>;  // each of the key that the one before it made
  static bool has(const Successions& successions, const SiteKey& key);

  std::map<SiteName, Successions> sites_;
};

}  // namespace dmm
