// Tokens: their content, that each works once and before it expires, and what a site's office accepts.
#include "runtime/enrolment.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "keys/endpoint_key.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"
#include "runtime/keyring.hpp"

namespace enrolment_test {

using namespace dmm;
using Json = nlohmann::ordered_json;

namespace {

/// A site that works in a folder of its own.
struct Site {
  std::string folder;
  SiteName name{"alpha"};
  Keyring keyring;
  Site() {
    char made[] = "/tmp/dmm-enrolment-XXXXXX";
    folder = ::mkdtemp(made);
    const auto kept = keyring_of_site(folder, name);
    REQUIRE(std::holds_alternative<Keyring>(kept));
    keyring = std::get<Keyring>(kept);
  }
  ~Site() { std::filesystem::remove_all(folder); }
  Enrolment office(const std::vector<std::string>& ancestors = {}) const {
    return Enrolment(folder, name, public_of(keyring.link), ancestors);
  }
  Token invite(const Json& more, const std::vector<std::string>& ancestors = {}) const {
    Json argument{{"kind", "user"}, {"name", "ann"}, {"at", "tcp://alpha:7700"}};
    argument.update(more);
    const auto made = office(ancestors).invite(argument);
    REQUIRE(std::holds_alternative<Token>(made));
    return std::get<Token>(made);
  }
  std::string fault_of_invite(const Json& more) const {
    Json argument{{"kind", "user"}, {"name", "ann"}, {"at", "tcp://alpha:7700"}};
    argument.update(more);
    const auto made = office().invite(argument);
    const auto* fault = std::get_if<std::string>(&made);
    return fault ? *fault : std::string();
  }
};

std::string fault_of(const OrFault<Enrolment::Taken>& taken) {
  const auto* fault = std::get_if<std::string>(&taken);
  return fault ? *fault : std::string();
}

}  // namespace

TEST_CASE("enrolment: a token reads back, and names where the site is, its keys and what is offered") {
  const Site site;
  const Token made = site.invite({{"kind", "neighbour"}, {"name", "beta"}, {"relation", "child"}}, {"campus"});
  const auto read = parse_token(to_letters(made));
  REQUIRE(std::holds_alternative<Token>(read));
  const Token& token = std::get<Token>(read);
  CHECK(token.newcomer == Newcomer::neighbour);
  CHECK(token.name == "beta");
  CHECK(token.site == site.name);
  CHECK(token.relation == "parent");  // alpha's relation to it
  CHECK(token.ancestors == std::vector<std::string>{"campus"});
  CHECK(token.key == site.keyring.site);
  CHECK(token.endpoint == "tcp://alpha:7700#" + to_text(public_of(site.keyring.link)));
  CHECK(token.code == made.code);
  CHECK(token.until == made.until);
}

TEST_CASE("enrolment: letters that are no whole token are told so") {
  const Site site;
  const std::string letters = to_letters(site.invite(Json::object()));
  for (std::size_t length = 0; length < letters.size(); length += 3)
    CHECK(std::holds_alternative<std::string>(parse_token(letters.substr(0, length))));
  CHECK(std::holds_alternative<std::string>(parse_token(letters + "?")));
  CHECK(std::holds_alternative<std::string>(parse_token(std::string(100'000, 'A'))));
  Token over = site.invite(Json::object());
  over.until = wall_microseconds() / 1'000'000;
  const auto read = parse_token(to_letters(over));
  REQUIRE(std::holds_alternative<std::string>(read));
  CHECK(std::get<std::string>(read).starts_with("the token was good until "));
}

TEST_CASE("enrolment: a code is good for one certificate, of the party that it was made for") {
  const Site site;
  const Token token = site.invite(Json::object()), other = site.invite({{"kind", "node"}, {"name", "node01"}});
  const LinkKey link = public_of(new_link_secret());
  const Json shown{{"code", token.code}, {"link", to_text(link)}};
  CHECK(fault_of(site.office().take_in({{"code", token.code}})) == "enrol: expected the newcomer's key");
  const auto taken = site.office().take_in(shown);
  REQUIRE(std::holds_alternative<Enrolment::Taken>(taken));
  const auto read = read_certificate(std::get<Enrolment::Taken>(taken).certificate, site.keyring.site);
  REQUIRE(std::holds_alternative<Certificate>(read));
  CHECK(std::get<Certificate>(read).party == job_manager_of(site.name, "ann"));
  CHECK(std::get<Certificate>(read).link == link);
  CHECK(fault_of(site.office().take_in(shown)).starts_with("the token was used before"));
  CHECK(fault_of(site.office().take_in({{"code", ""}, {"link", to_text(link)}})) != "");
  CHECK(fault_of(site.office().take_in({{"link", to_text(link)}})) != "");
  const Json of_node{{"code", other.code}, {"link", to_text(link)}};
  CHECK(fault_of(site.office().take_in(of_node)) == "the key is certified for jobmgr alpha/ann");
  const auto node = site.office().take_in({{"code", other.code}, {"link", to_text(public_of(new_link_secret()))}});
  REQUIRE(std::holds_alternative<Enrolment::Taken>(node));
  CHECK(std::get<Certificate>(read_certificate(std::get<Enrolment::Taken>(node).certificate, site.keyring.site))
            .party == resource_manager_of(site.name, "node01"));
}

TEST_CASE("enrolment: all keys that a party got by tokens are revoked by its name, and taken in no more") {
  const Site site;
  std::vector<std::string> links;
  for (int i = 0; i < 2; ++i) {
    const Token token = site.invite(Json::object());
    links.push_back(to_text(public_of(new_link_secret())));
    REQUIRE(fault_of(site.office().take_in({{"code", token.code}, {"link", links.back()}})).empty());
  }
  const auto unknown = site.office().revoke({{"party", "jobmgr alpha/bob"}});
  REQUIRE(std::holds_alternative<std::string>(unknown));
  CHECK(std::get<std::string>(unknown).find("no link key of jobmgr alpha/bob is known") != std::string::npos);
  CHECK(std::holds_alternative<std::string>(site.office().revoke({{"keys", {"no key"}}})));
  const std::string linked = to_text(public_of(new_link_secret()));  // that only a link showed
  const auto revoked = site.office().revoke({{"party", "jobmgr alpha/ann"}, {"keys", {linked}}});
  REQUIRE(std::holds_alternative<std::vector<std::string>>(revoked));
  CHECK(std::get<std::vector<std::string>>(revoked) == std::vector<std::string>{linked, links[0], links[1]});
  CHECK(std::get<std::vector<std::string>>(read_revoked(site.folder)).size() == 3);
  const Token again = site.invite(Json::object());
  const Json same{{"code", again.code}, {"link", links[0]}};
  CHECK(fault_of(site.office().take_in(same)).find("is revoked") != std::string::npos);
  const Json another{{"code", again.code}, {"link", to_text(public_of(new_link_secret()))}};
  CHECK(fault_of(site.office().take_in(another)).empty());  // the token is still good
}

TEST_CASE("enrolment: a neighbour that shows its code stands in joined.json") {
  const Site site;
  const Token token = site.invite({{"kind", "neighbour"}, {"name", "beta"}, {"relation", "sibling"}});
  const SiteKey key = public_of(new_site_secret());
  const auto taken = site.office().take_in({{"code", token.code}, {"key", to_text(key)}});
  REQUIRE(std::holds_alternative<Enrolment::Taken>(taken));
  CHECK(std::get<Enrolment::Taken>(taken).neighbour);
  const auto read = read_joined(site.folder);
  REQUIRE(std::holds_alternative<std::vector<JoinedLink>>(read));
  const auto& links = std::get<std::vector<JoinedLink>>(read);
  REQUIRE(links.size() == 1);
  CHECK(links[0].site == "beta");
  CHECK(links[0].relation == "sibling");
  CHECK(links[0].key == to_text(key));
  CHECK(links[0].connect.empty());
}

TEST_CASE("enrolment: what is no invitation is refused in words") {
  const Site site;
  CHECK(site.fault_of_invite({{"kind", "emperor"}}).find("kind") != std::string::npos);
  CHECK(site.fault_of_invite({{"name", "../ann"}}).find("name") != std::string::npos);
  CHECK(site.fault_of_invite({{"at", "ipc:///tmp/a"}}).find("at") != std::string::npos);
  CHECK(site.fault_of_invite({{"hours", 0}}).find("hours") != std::string::npos);
  CHECK(site.fault_of_invite({{"hours", 10'000}}).find("hours") != std::string::npos);
  CHECK(site.fault_of_invite({{"kind", "neighbour"}, {"relation", "friend"}}).find("relation") !=
        std::string::npos);
  REQUIRE(replace_private_file(site.folder + "/keys/invitations.json", "{").empty());
  CHECK(site.fault_of_invite(Json::object()).find("was it damaged?") != std::string::npos);
}

TEST_CASE("enrolment: files that can't be what they should be are told, and believed in nothing") {
  const Site site;
  REQUIRE(
      replace_private_file(site.folder + "/keys/invitations.json", R"(["odd", {"code": "a", "until": "soon"}])")
          .empty());
  CHECK(site.fault_of_invite(Json::object()).empty());  // an invitation without an end counts as expired
  CHECK(fault_of(site.office().take_in({{"code", "a"}})).starts_with("the token was used before"));
  REQUIRE(std::filesystem::create_directory(site.folder + "/revoked.json"));
  const auto revoked = read_revoked(site.folder);
  REQUIRE(std::holds_alternative<std::string>(revoked));
  CHECK(std::get<std::string>(revoked).find("can't be read") != std::string::npos);
}

}  // namespace enrolment_test
