// How a site's key follows another one: what the former key signs, and what is no succession.
#include "keys/succession.hpp"

#include <doctest/doctest.h>

#include "keys/certificate.hpp"
#include "protocol/text.hpp"

namespace succession_test {

using namespace dmm;

namespace {

const SiteName alpha("alpha");

bool are_read(const std::vector<std::string>& letters, const SiteName& site = alpha) {
  return std::holds_alternative<std::vector<Succession>>(read_successions(site, letters));
}

}  // namespace

TEST_CASE("succession: each key is signed by the one before it, and the latest few are shown") {
  std::vector<SiteSecret> secrets{new_site_secret()};
  SiteSigner signer{secrets.front(), {}};
  for (int i = 1; i <= 6; ++i) {
    secrets.push_back(new_site_secret());
    signer = succeed(alpha, signer, secrets.back(), 1'000 + i);
    CHECK(public_of(signer.secret) == public_of(secrets.back()));
    const auto read = read_successions(alpha, signer.successions);
    REQUIRE(std::holds_alternative<std::vector<Succession>>(read));
    const auto& successions = std::get<std::vector<Succession>>(read);
    CHECK(successions.size() == std::min<std::size_t>(static_cast<std::size_t>(i), successions_max));
    const Succession last{public_of(secrets[secrets.size() - 2]), public_of(secrets.back()), 1'000 + i};
    CHECK(successions.back() == last);
  }
  // All of it has room in a certificate, with the longest names.
  const Party longest{SiteName(std::string(name_length_max, 'a')), Role::resource_manager,
                      ShortText(std::string(manager_name_length_max, 'n'))};
  SiteSigner of_longest{new_site_secret(), {}};
  for (int i = 0; i < 4; ++i) of_longest = succeed(longest.site, of_longest, new_site_secret(), 1'800'000'000);
  const Certificate certificate{longest,       public_of(new_link_secret()), Right::none, 1'800'000'000,
                                1'900'000'000, of_longest.successions};
  const auto read = read_certificate(certify(certificate, of_longest.secret), public_of(of_longest.secret));
  REQUIRE(std::holds_alternative<Certificate>(read));
  CHECK(std::get<Certificate>(read) == certificate);
}

TEST_CASE("succession: what isn't signed by the former key, of this site and in order is refused") {
  const SiteSigner first{new_site_secret(), {}};
  const SiteSigner second = succeed(alpha, first, new_site_secret(), 1'000),
                   third = succeed(alpha, second, new_site_secret(), 2'000);
  CHECK(are_read({}));
  CHECK(are_read(third.successions));
  CHECK_FALSE(are_read(third.successions, SiteName("beta")));
  CHECK_FALSE(are_read({third.successions[1], third.successions[0]}));
  CHECK_FALSE(are_read({third.successions[0], third.successions[0]}));
  CHECK_FALSE(are_read({"", third.successions[0]}));
  CHECK_FALSE(are_read(std::vector<std::string>(successions_max + 1, third.successions[0])));
  const std::string bytes = *keys::bytes_of(third.successions[0], 512);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    CAPTURE(at);
    CHECK_FALSE(are_read({keys::letters_of(other)}));
  }
}

}  // namespace succession_test
