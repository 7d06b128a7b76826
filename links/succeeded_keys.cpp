#include "links/succeeded_keys.hpp"

#include <algorithm>
#include <utility>

namespace dmm {

bool SucceededKeys::has(const Successions& successions, const SiteKey& key) {
  return std::ranges::any_of(successions,
                             [&](const Succession& one) { return one.former == key || one.key == key; });
}

bool SucceededKeys::follow(const UnverifiedCertificate& shown, const SiteKey& known) {
  const SiteName& site = shown.certificate.party.site;
  const SiteKey before = newest(site, known);
  // Each greeting of a site that replaced its key comes here; most show what was noted.
  if (shown.certificate.successions.empty()) return false;
  if (sites_.contains(site) && is_signed(shown.written.text, shown.written.signature, before)) return false;
  auto read = read_successions(site, shown.certificate.successions);
  auto* const successions = std::get_if<Successions>(&read);
  // Of two successors of one key the first stays: a thief of the former key can name another one.
  if (!successions || !has(*successions, before)) return false;
  const SiteKey& last = successions->back().key;
  if (!is_signed(shown.written.text, shown.written.signature, last)) return false;
  sites_[site] = std::move(*successions);
  return newest(site, known) != before;
}

const SiteKey& SucceededKeys::newest(const SiteName& site, const SiteKey& known) const {
  const auto found = sites_.find(site);
  return found == sites_.end() ? known : found->second.back().key;
}

OrFault<Certificate, CertificateFault> SucceededKeys::verify(const UnverifiedCertificate& shown,
                                                             const SiteKey& known) const {
  const SiteName& site = shown.certificate.party.site;
  auto verified = dmm::verify(shown, newest(site, known));
  const auto found = sites_.find(site);
  if (std::holds_alternative<Certificate>(verified) || found == sites_.end()) return verified;
  for (const Succession& succession : found->second) {
    if (!is_signed(shown.written.text, shown.written.signature, succession.former)) continue;
    Certificate certificate = shown.certificate;
    if (certificate.from > succession.from + clock_slack)
      return CertificateFault{"the certificate is signed with a key that " + site.text + " had replaced by then"};
    certificate.until = std::min(certificate.until, succession.from + certificate_life);
    return certificate;
  }
  return verified;
}

}  // namespace dmm
