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

/// Speaks for a party over tcp, with a link key and a certificate.
struct Caller : Hand {
  LinkKey link;
  std::string certificate;
  Caller(const Party& party, Endpoint& to, LinkKey with, std::string shown, Connection over = 1)
      : Hand{party, to}, link(with), certificate(std::move(shown)) {
    connection = over;
  }
  std::vector<Received> tell(const std::string& bytes) {
    std::vector<Received> messages;
    endpoint.receive(now, connection, bytes, messages, link);
    return messages;
  }
  /// Whether its Hello is answered; if not, `told` gets the reason.
  bool is_greeted(std::string* told = nullptr) {
    Hello greeting;
    greeting.certificate = certificate;
    greeting.instance = instance;
    tell(frame(greeting));
    bool greeted = false;
    for (const Envelope& heard : hear()) {
      if (std::holds_alternative<Hello>(heard.message)) greeted = true, knows = heard.incarnation;
      if (const Fault* fault = std::get_if<Fault>(&heard.message); fault && told) *told = fault->text;
    }
    return greeted;
  }
};

inline LinkKey new_link() { return public_of(new_link_secret()); }

}  // namespace dmm::keys_stage
