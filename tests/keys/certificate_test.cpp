// Keys as text, signatures, and what a certificate proves to parties that know the site, and to those that don't.
#include "keys/certificate.hpp"

#include <doctest/doctest.h>

namespace certificate_test {

using namespace dmm;

namespace {

Certificate of_ann(const LinkSecret& link) {
  return {job_manager_of(SiteName("alpha"), "ann"), public_of(link), Right::none, 1'000, 2'000};
}

std::string fault_of(const OrFault<Certificate, CertificateFault>& read) {
  const auto* fault = std::get_if<CertificateFault>(&read);
  return fault ? fault->text : std::string();
}

}  // namespace

TEST_CASE("keys: a key reads back from its text, and nothing else does") {
  const SiteSecret secret = new_site_secret();
  const SiteKey key = public_of(secret);
  const std::string text = to_text(key);
  CHECK(text.size() == key_letters);
  CHECK(parse_key<SiteKey>(text) == key);
  CHECK(public_of(*parse_secret<SiteSecret>(secret_text(secret))) == key);
  CHECK_FALSE(parse_key<SiteKey>(text.substr(1)));
  CHECK_FALSE(parse_key<SiteKey>(text + "A"));
  CHECK_FALSE(parse_key<SiteKey>(text + "="));
  CHECK_FALSE(parse_key<SiteKey>(" " + text.substr(1)));
  CHECK_FALSE(parse_key<SiteKey>(""));
  CHECK(public_of(new_site_secret()) != key);
}

TEST_CASE("keys: what RFC 8032 and RFC 7748 say comes out") {
  // RFC 8032 section 7.1, test 1; RFC 7748 section 5.2, after one iteration.
  const auto bytes = [](std::string_view hex) {
    std::array<std::uint8_t, key_bytes> all{};
    for (std::size_t i = 0; i < key_bytes; ++i)
      all[i] = static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
    return all;
  };
  const SiteSecret site(bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
  CHECK(public_of(site).bytes == bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
  const LinkSecret link(bytes("0900000000000000000000000000000000000000000000000000000000000000"));
  CHECK(public_of(link).bytes == bytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"));
}

TEST_CASE("keys: a signature holds for one text and one key") {
  const SiteSecret secret = new_site_secret();
  const Signature signature = sign("a lease", secret);
  CHECK(is_signed("a lease", signature, public_of(secret)));
  CHECK_FALSE(is_signed("a lease.", signature, public_of(secret)));
  CHECK_FALSE(is_signed("a lease", signature, public_of(new_site_secret())));
}

TEST_CASE("certificate: it reads back under the site's key, and under no other") {
  const SiteSecret site = new_site_secret();
  const Certificate made = of_ann(new_link_secret());
  const std::string bytes = certify(made, site);
  const auto read = read_certificate(bytes, public_of(site));
  REQUIRE(std::holds_alternative<Certificate>(read));
  CHECK(std::get<Certificate>(read) == made);
  CHECK(fault_of(read_certificate(bytes, public_of(new_site_secret()))) ==
        "the certificate isn't signed with the key of alpha");
  CHECK(std::get<UnverifiedCertificate>(read_unverified(bytes)).certificate == made);
}

TEST_CASE("certificate: with any byte changed it is refused") {
  const SiteSecret site = new_site_secret();
  const std::string letters = certify(of_ann(new_link_secret()), site);
  const std::string bytes = *keys::bytes_of(letters, certificate_bytes_max);
  CHECK(keys::letters_of(bytes) == letters);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    CAPTURE(at);
    CHECK_FALSE(fault_of(read_certificate(keys::letters_of(other), public_of(site))).empty());
  }
  for (std::size_t length = 0; length < letters.size(); ++length)
    CHECK_FALSE(fault_of(read_certificate(letters.substr(0, length), public_of(site))).empty());
  CHECK_FALSE(fault_of(read_certificate(letters + " ", public_of(site))).empty());
  CHECK_FALSE(fault_of(read_certificate(std::string(100'000, 'A'), public_of(site))).empty());
  const std::string deep = std::string(signature_bytes, 's') + std::string(900, '[');
  CHECK_FALSE(fault_of(read_certificate(keys::letters_of(deep), public_of(site))).empty());
}

TEST_CASE("certificate: what a site signs and we don't understand is refused") {
  const SiteSecret site = new_site_secret();
  const std::string text =
      keys::bytes_of(certify(of_ann(new_link_secret()), site), certificate_bytes_max)->substr(signature_bytes);
  const auto resigned = [&](std::string_view old, std::string_view wanted) {
    std::string changed = text;
    const std::size_t at = changed.find(old);
    REQUIRE(at != std::string::npos);
    changed.replace(at, old.size(), wanted);
    const Signature signature = sign(changed, site);
    const std::string bytes = std::string(signature.begin(), signature.end()) + changed;
    return fault_of(read_certificate(keys::letters_of(bytes), public_of(site)));
  };
  CHECK(resigned("ann", "bob").empty());
  CHECK(resigned("}", R"(,"only":"monday"})") == "the certificate has a key that this version doesn't know");
  CHECK(resigned("certificate 1", "certificate 2").find("kind") != std::string::npos);
  CHECK(resigned("jobmgr", "emperor").find("role") != std::string::npos);
  CHECK(resigned("alpha", "al pha").find("site") != std::string::npos);
  CHECK(resigned("\"ann\"", "\"\"").find("name") != std::string::npos);
  CHECK(resigned("\"none\"", "\"all\"").find("right") != std::string::npos);
  CHECK(resigned("1000", "\"soon\"").find("from") != std::string::npos);
  CHECK(resigned("2000", "2000.5").find("until") != std::string::npos);
  for (const char* const successions :
       {R"(,"successions":"none"})", R"(,"successions":[]})", R"(,"successions":[1]})"})
    CHECK(resigned("}", successions).find("successions") != std::string::npos);
}

TEST_CASE("certificate: it is valid from its first second to the one before its last") {
  const Certificate certificate = of_ann(new_link_secret());
  CHECK_FALSE(certificate.is_valid(999));
  CHECK(certificate.is_valid(1'000));
  CHECK(certificate.is_valid(1'999));
  CHECK_FALSE(certificate.is_valid(2'000));
}

}  // namespace certificate_test
