#include "links/trust.hpp"

#include <utility>

#include "protocol/text.hpp"

namespace dmm {

void Trust::configure(TrustSettings settings) {
  configured_ = std::move(settings);
  told_.leave_to(configured_.sites);
  succeeded_.keep_those_of([&](const SiteName& site) { return first_of(site); });
}

Learned Trust::learn(const Teller& teller, const SiteName& site, const SiteKey& key) {
  return is_configured(site) ? Learned::known : told_.learn(teller, site, key);
}

Learned Trust::learn_revoked(const Teller& teller, const SiteName& site, const LinkKey& link) {
  const bool is_heard = teller.site == site || !is_configured(site);
  return is_heard ? told_.learn_revoked(teller, site, link) : Learned::known;
}

Learned Trust::learn_revoked(const LinkKey& link) {
  if (revoked_by_ours_.contains(link)) return Learned::known;
  if (revoked_by_ours_.size() >= ToldKeys::all_max) return Learned::no_room;
  revoked_by_ours_.insert(link);
  return Learned::news;
}

const SiteKey* Trust::first_of(const SiteName& site) const {
  const auto known = configured_.sites.find(site);
  return known != configured_.sites.end() ? &known->second : told_.find(site);
}

const SiteKey* Trust::find(const SiteName& site) const {
  const SiteKey* const first = first_of(site);
  return first ? &succeeded_.newest(site, *first) : nullptr;
}

std::optional<SiteName> Trust::follow(std::string_view certificate) {
  const auto read = read_unverified(certificate);
  const auto* const shown = std::get_if<UnverifiedCertificate>(&read);
  const SiteKey* const first = shown ? first_of(shown->certificate.party.site) : nullptr;
  if (!first || !succeeded_.follow(*shown, *first)) return std::nullopt;
  return shown->certificate.party.site;
}

Vouch Trust::vouch(const SiteName& self) const {
  Vouch vouch;
  for (const auto& [site, key] : configured_.sites)
    vouch.sites.push_back({site, to_text(succeeded_.newest(site, key))});
  told_.add_sites(vouch);
  for (const LinkKey& link : configured_.revoked) vouch.revoked.push_back({self, to_text(link)});
  told_.add_revoked(vouch);
  return vouch;
}

OrFault<Certificate> Trust::read(std::string_view certificate) const {
  if (certificate.empty())
    return "it shows no certificate; its site's `dmm certify` makes one (for a command: in the folder DMM_KEYS)";
  const auto written = read_unverified(certificate);
  if (const auto* fault = std::get_if<CertificateFault>(&written)) return fault->text;
  const auto& shown = std::get<UnverifiedCertificate>(written);
  const SiteName& site = shown.certificate.party.site;
  const SiteKey* const first = first_of(site);
  if (!first)
    return "the key of site " + std::string(site.text) + " isn't known here: the \"key\" of a link makes it known";
  const auto read = succeeded_.verify(shown, *first);
  if (const auto* fault = std::get_if<CertificateFault>(&read)) return fault->text;
  return std::get<Certificate>(read);
}

OrFault<Proof> Trust::prove(std::string_view certificate, WallSeconds now) const {
  const auto known = read(certificate);
  if (const auto* fault = std::get_if<std::string>(&known)) return *fault;
  const Certificate& shown = std::get<Certificate>(known);
  const std::string description = "the certificate of " + to_text(shown.party);
  if (is_revoked(shown.party.site, shown.link))
    return "the link key of " + to_text(shown.party) +
           " is revoked: once its `keys` folder is moved away, a new token or `dmm certify` makes another";
  if (now < shown.from - clock_slack) return description + " isn't valid yet: is one of the clocks wrong?";
  if (now >= shown.until) return description + " has expired: `dmm certify` at its site makes another";
  return Proof{shown.link, shown.party, shown.right, shown.from, shown.until};
}

OrFault<Proof> Trust::prove(const LinkKey& link, std::string_view certificate, WallSeconds now) const {
  auto proved = prove(certificate, now);
  const Proof* const proof = std::get_if<Proof>(&proved);
  if (proof && proof->link != link)
    return "the certificate of " + to_text(proof->party) + " is for another link key: it was copied";
  return proved;
}

bool may_speak_for(const Proof& proof, const Party& party) {
  return party.role == Role::client || party == proof.party;
}

bool is_same_holder(const Proof& present, const Proof& newcomer) {
  if (present.link == newcomer.link) return true;
  return present.is_certified && newcomer.is_certified && present.party == newcomer.party;
}

Right right_of(const Proof& proof, const Party& self) {
  const Party& holder = proof.party;
  if (holder.site != self.site) return Right::none;
  if (self.role == Role::job_manager) return holder == self ? Right::administrator : Right::none;
  switch (holder.role) {
    case Role::site_manager: return Right::administrator;
    case Role::client: return proof.right;
    default: return Right::reader;
  }
}

}  // namespace dmm
