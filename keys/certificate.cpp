#include "keys/certificate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "protocol/messages.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kind = "dmm certificate 1";
constexpr std::size_t keys_in_it = 8;
constexpr std::array<std::string_view, 4> right_words = {"none", "reader", "user", "administrator"};

std::string text_of(const Certificate& certificate) {
  const Json json = {{"kind", kind},
                     {"role", to_text(certificate.party.role)},
                     {"site", certificate.party.site.text},
                     {"name", certificate.party.name},
                     {"link", to_text(certificate.link)},
                     {"right", right_words[static_cast<std::size_t>(certificate.right)]},
                     {"from", certificate.from},
                     {"until", certificate.until}};
  return json.dump();
}

CertificateFault not_read(std::string_view what) {
  return {"the certificate can't be read: " + std::string(what) + " is missing, or isn't what was expected"};
}

std::optional<std::string> text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<Role> role_of(std::string_view word) {
  for (const Role role : {Role::site_manager, Role::job_manager, Role::resource_manager, Role::client})
    if (to_text(role) == word) return role;
  return std::nullopt;
}

std::optional<WallSeconds> time_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<WallSeconds>();
}

OrFault<Certificate, CertificateFault> read_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || text_in(json, "kind") != kind) return not_read("kind");
  if (json.size() != keys_in_it)
    return CertificateFault{"the certificate has a key that this version doesn't know"};
  const auto role = role_of(text_in(json, "role").value_or(""));
  const auto site = text_in(json, "site"), name = text_in(json, "name");
  if (!role) return not_read("role");
  if (!site || !is_name(*site)) return not_read("site");
  if (!name || (name->empty() ? *role != Role::site_manager : !is_name(*name, manager_name_length_max)))
    return not_read("name");
  const auto link = parse_key<LinkKey>(text_in(json, "link").value_or(""));
  if (!link) return not_read("link");
  const auto right = std::ranges::find(right_words, text_in(json, "right").value_or(""));
  if (right == right_words.end()) return not_read("right");
  const auto from = time_in(json, "from"), until = time_in(json, "until");
  if (!from || !until) return not_read("from or until");
  return Certificate{{SiteName(*site), *role, ShortText(*name)},
                     *link,
                     static_cast<Right>(right - right_words.begin()),
                     *from,
                     *until};
}

}  // namespace

std::string certify(const Certificate& certificate, const SiteSecret& secret) {
  const std::string text = text_of(certificate);
  const Signature signature = sign(text, secret);
  return keys::letters_of(std::string(signature.begin(), signature.end()) + text);
}

OrFault<UnverifiedCertificate, CertificateFault> read_unverified(std::string_view letters) {
  const auto bytes = keys::bytes_of(letters, certificate_bytes_max);
  if (!bytes || bytes->size() <= signature_bytes) return CertificateFault{"these letters are no certificate"};
  UnverifiedCertificate written{{}, {}, bytes->substr(signature_bytes)};
  std::copy_n(bytes->begin(), signature_bytes, written.signature.begin());
  auto read = read_text(written.text);
  if (auto* fault = std::get_if<CertificateFault>(&read)) return std::move(*fault);
  written.certificate = std::move(std::get<Certificate>(read));
  return written;
}

OrFault<Certificate, CertificateFault> verify(const UnverifiedCertificate& written, const SiteKey& site) {
  if (is_signed(written.text, written.signature, site)) return written.certificate;
  return CertificateFault{"the certificate isn't signed with the key of " + written.certificate.party.site.text};
}

OrFault<Certificate, CertificateFault> read_certificate(std::string_view letters, const SiteKey& site) {
  const auto written = read_unverified(letters);
  if (const auto* fault = std::get_if<CertificateFault>(&written)) return *fault;
  return verify(std::get<UnverifiedCertificate>(written), site);
}

}  // namespace dmm
