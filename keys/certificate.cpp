#include "keys/certificate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "keys/json_values.hpp"
#include "protocol/messages.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kind = "dmm certificate 1";
constexpr std::size_t keys_in_it = 8;  // "successions" not among them
constexpr std::array<std::string_view, 4> right_words = {"none", "reader", "user", "administrator"};

Json json_of(const Certificate& certificate) {
  Json json = {{"kind", kind},
               {"role", to_text(certificate.party.role)},
               {"site", certificate.party.site.text},
               {"name", certificate.party.name},
               {"link", to_text(certificate.link)},
               {"right", right_words[static_cast<std::size_t>(certificate.right)]},
               {"from", certificate.from},
               {"until", certificate.until}};
  if (!certificate.successions.empty()) json["successions"] = certificate.successions;
  return json;
}

CertificateFault not_read(std::string_view what) {
  return {"the certificate can't be read: " + std::string(what) + " is missing, or isn't what was expected"};
}

std::optional<Role> role_of(std::string_view word) {
  for (const Role role : {Role::site_manager, Role::job_manager, Role::resource_manager, Role::client})
    if (to_text(role) == word) return role;
  return std::nullopt;
}

// Empty if there are none.
std::optional<std::vector<std::string>> successions_in(const Json& json) {
  const auto found = json.find("successions");
  std::vector<std::string> letters;
  if (found == json.end()) return letters;
  if (!found->is_array() || found->empty()) return std::nullopt;
  for (const Json& one : *found) {
    if (!one.is_string()) return std::nullopt;
    letters.push_back(one.get<std::string>());
  }
  return letters;
}

OrFault<Certificate, CertificateFault> read_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || keys::text_in(json, "kind") != kind) return not_read("kind");
  if (json.size() != keys_in_it + json.contains("successions"))
    return CertificateFault{"the certificate has a key that this version doesn't know"};
  const auto role = role_of(keys::text_in(json, "role").value_or(""));
  const auto site = keys::text_in(json, "site"), name = keys::text_in(json, "name");
  if (!role) return not_read("role");
  if (!site || !is_name(*site)) return not_read("site");
  if (!name || (name->empty() ? *role != Role::site_manager : !is_name(*name, manager_name_length_max)))
    return not_read("name");
  const auto link = parse_key<LinkKey>(keys::text_in(json, "link").value_or(""));
  if (!link) return not_read("link");
  const auto right = std::ranges::find(right_words, keys::text_in(json, "right").value_or(""));
  if (right == right_words.end()) return not_read("right");
  const auto from = keys::integer_in(json, "from"), until = keys::integer_in(json, "until");
  if (!from || !until) return not_read("from or until");
  auto successions = successions_in(json);
  if (!successions) return not_read("successions");
  return Certificate{{SiteName(*site), *role, ShortText(*name)},
                     *link,
                     static_cast<Right>(right - right_words.begin()),
                     *from,
                     *until,
                     std::move(*successions)};
}

}  // namespace

std::string certify(const Certificate& certificate, const SiteSecret& secret) {
  return sign_as_letters(json_of(certificate).dump(), secret);
}

OrFault<UnverifiedCertificate, CertificateFault> read_unverified(std::string_view letters) {
  auto written = read_signed_text(letters, certificate_bytes_max);
  if (!written) return CertificateFault{"these letters are no certificate"};
  auto read = read_text(written->text);
  if (auto* fault = std::get_if<CertificateFault>(&read)) return std::move(*fault);
  return UnverifiedCertificate{std::move(std::get<Certificate>(read)), std::move(*written)};
}

OrFault<Certificate, CertificateFault> verify(const UnverifiedCertificate& shown, const SiteKey& site) {
  if (is_signed(shown.written.text, shown.written.signature, site)) return shown.certificate;
  return CertificateFault{"the certificate isn't signed with the key of " + shown.certificate.party.site.text};
}

OrFault<Certificate, CertificateFault> read_certificate(std::string_view letters, const SiteKey& site) {
  const auto shown = read_unverified(letters);
  if (const auto* fault = std::get_if<CertificateFault>(&shown)) return *fault;
  return verify(std::get<UnverifiedCertificate>(shown), site);
}

}  // namespace dmm
