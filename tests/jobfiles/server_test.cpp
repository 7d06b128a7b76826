// The job manager's server of files over its own TLS: whole files, parts of them, and refusals.
#include "jobmgr/files/server.hpp"

#include <doctest/doctest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace server_test {

using namespace dmm;
namespace fs = std::filesystem;

namespace {

const std::string ticket(64, 'a');
constexpr std::size_t large = 3'000'001;  ///< many records, the last one short

std::string letters(std::size_t count) {
  std::string text(count, ' ');
  for (std::size_t at = 0; at < count; ++at) text[at] = static_cast<char>('a' + at * 7 % 23);
  return text;
}

struct Home {
  fs::path folder;
  std::unique_ptr<HomeServer> server;
  std::unique_ptr<httplib::SSLClient> client;

  Home() {
    std::string name = "/tmp/dmm-server-XXXXXX";
    REQUIRE(mkdtemp(name.data()));
    folder = name;
    std::ofstream(folder / "in") << letters(large);
    auto made = HomeServer::open({"127.0.0.1:0", "", folder, large});
    REQUIRE(std::holds_alternative<std::unique_ptr<HomeServer>>(made));
    server = std::get<0>(std::move(made));
    server->take({7, ticket, {folder / "in"}, {folder / "out"}});
    server->begin();
    const std::string& url = server->address().url;
    client = std::make_unique<httplib::SSLClient>("127.0.0.1", std::stoi(url.substr(url.rfind(':') + 1)));
    client->enable_server_certificate_verification(false);
    client->set_keep_alive(true);
  }
  ~Home() {
    client.reset();
    server.reset();
    fs::remove_all(folder);
  }
  httplib::Result put(const std::string& text, std::size_t from, std::size_t bytes) const {
    return client->Put("/" + ticket + "/out/0?from=" + std::to_string(from) + "&bytes=" + std::to_string(bytes),
                       text, "application/octet-stream");
  }
  std::string text(const char* name) const {
    std::ifstream stream(folder / name);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
};

}  // namespace

TEST_CASE("server of files: an input file comes whole, and in part, over one connection [S132h]") {
  const Home home;
  const std::string path = "/" + ticket + "/in/0";
  const httplib::Result whole = home.client->Get(path);
  REQUIRE(whole);
  CHECK(whole->status == 200);
  CHECK(whole->body == letters(large));
  const httplib::Result part = home.client->Get(path, {{"Range", "bytes=2999990-"}});
  REQUIRE(part);
  CHECK(part->status == 206);
  CHECK(part->body == letters(large).substr(2'999'990));
}

TEST_CASE("server of files: an output file comes in two requests, and is told [S132h]") {
  const Home home;
  const std::string text = letters(large);
  const httplib::Result first = home.put(text.substr(0, 1'000'000), 0, large);
  REQUIRE(first);
  CHECK(first->status == 409);
  const httplib::Result told = home.client->Get("/" + ticket + "/out/0");
  REQUIRE(told);
  CHECK(told->body == "1000000");
  const httplib::Result second = home.put(text.substr(1'000'000), 1'000'000, large);
  REQUIRE(second);
  CHECK(second->status == 201);
  CHECK(home.text("out") == text);
}

TEST_CASE("server of files: a refusal is read by a sender of many bytes [S132h]") {
  const Home home;
  const httplib::Result said = home.put(letters(large + 1), 0, large + 1);
  REQUIRE(said);
  CHECK(said->status == 413);
  CHECK_FALSE(fs::exists(home.folder / "out"));
}

TEST_CASE("server of files: a peer that speaks no TLS is left, and others are served [S132h]") {
  const Home home;
  const std::string& url = home.server->address().url;
  httplib::Client plain("127.0.0.1", std::stoi(url.substr(url.rfind(':') + 1)));
  CHECK_FALSE(plain.Get("/"));
  const httplib::Result said = home.client->Get("/" + std::string(64, 'b') + "/in/0");
  REQUIRE(said);
  CHECK(said->status == 404);
}

}  // namespace server_test
