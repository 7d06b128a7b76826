// Sites with keys, for tests of how an endpoint treats certificates and seals.
#pragma once

#include <string>

#include "keys/certificate.hpp"
#include "tests/links/endpoint_bounds_stage.hpp"

namespace dmm::keys_stage {

using namespace dmm::endpoint_bounds;

inline constexpr WallSeconds today = 1'800'000'000;
inline constexpr Instant start{seconds(100).microseconds};  ///< when a Hand begins to speak

/// A site, and what it can sign.
struct Signer {
  SiteName name;
  SiteSecret secret = new_site_secret();
  SiteKey key() const { return public_of(secret); }
  std::string certify_for(const Party& party, const LinkKey& link, WallSeconds from = today,
                          WallSeconds life = 1'000, Right right = Right::none) const {
    return certify({party, link, right, from, from + life}, secret);
  }
};

inline TrustSettings knows(std::initializer_list<const Signer*> sites) {
  TrustSettings settings;
  for (const Signer* site : sites) settings.sites[site->name] = site->key();
  return settings;
}

inline EndpointSettings keyed(const Party& self, const Party& other, TrustSettings trust) {
  EndpointSettings settings = settings_of(self, other);
  settings.admission.trust = std::move(trust);
  settings.admission.job_managers_of_site = settings.admission.resource_managers = true;
  settings.wall_offset = Duration{today * 1'000'000 - start.microseconds};
  return settings;
}

inline LinkKey new_link() { return public_of(new_link_secret()); }

}  // namespace dmm::keys_stage
