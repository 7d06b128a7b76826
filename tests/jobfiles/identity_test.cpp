// The key by which nodes recognise a job manager's file server.
#include "jobmgr/files/identity.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace identity_test {

using namespace dmm;
namespace fs = std::filesystem;

TEST_CASE("identity: a key is made once, for its owner alone, and is the same at the next start") {
  std::string folder = "/tmp/dmm-identity-XXXXXX";
  REQUIRE(mkdtemp(folder.data()));
  const std::string file = folder + "/key.pem";
  const auto first = server_identity(file), second = server_identity(file);
  REQUIRE(std::holds_alternative<ServerIdentity>(first));
  REQUIRE(std::holds_alternative<ServerIdentity>(second));
  CHECK(std::get<0>(first).pin == std::get<0>(second).pin);
  CHECK(std::get<0>(first).secret == std::get<0>(second).secret);
  CHECK(std::get<0>(first).pin.size() == 44);
  CHECK((fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
  const auto elsewhere = server_identity(folder + "/other.pem");
  REQUIRE(std::holds_alternative<ServerIdentity>(elsewhere));
  CHECK(std::get<0>(elsewhere).pin != std::get<0>(first).pin);
  std::ofstream(file) << "no key";
  const auto broken = server_identity(file);
  REQUIRE(std::holds_alternative<std::string>(broken));
  CHECK(std::get<1>(broken).find("key.pem: expected a private key in PEM") != std::string::npos);
  fs::remove_all(folder);
}

}  // namespace identity_test
