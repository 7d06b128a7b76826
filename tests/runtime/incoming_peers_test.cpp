// The peers of the listening socket, alone: their numbers, which of them is forgotten first, and what is proved of
// their far ends.
#include "runtime/incoming_peers.hpp"

#include <doctest/doctest.h>

namespace incoming_peers_test {

using namespace dmm;

namespace {

/// Room for three peers; connections are numbered from 8.
struct Stage {
  IncomingPeers peers{3};
  Connection last = 7;

  Connection hear(const std::string& id) { return peers.sender_of(id, last).connection; }
};

}  // namespace

TEST_CASE("incoming peers: a routing id has one connection until it is forgotten, and then a new one") {
  Stage stage;
  CHECK(stage.hear("a") == 8);
  CHECK(stage.hear("b") == 9);
  CHECK(stage.hear("a") == 8);
  CHECK(stage.last == 9);
  REQUIRE(stage.peers.find(9) != nullptr);
  CHECK(stage.peers.find(9)->routing_id == "b");
  CHECK(stage.peers.find(7) == nullptr);
  stage.peers.forget(7);
  stage.peers.forget(8);
  CHECK(stage.peers.size() == 1);
  CHECK(stage.peers.find(8) == nullptr);
  CHECK(stage.hear("a") == 10);
}

TEST_CASE("incoming peers: beyond the bound, the connection that was unused for longest is forgotten") {
  struct Row {
    const char* what;
    std::string heard;   ///< frames of these, after one of each of a, b, c
    Connection touched;  ///< then this one is used; 0: none
    Connection forgotten;
  };
  for (const Row& row : {Row{"the first", "", 0, 8}, Row{"a was heard again", "a", 0, 9},
                         Row{"a and b were heard again", "ba", 0, 10}, Row{"a is used", "", 8, 9},
                         Row{"the order of use counts", "bc", 8, 9}}) {
    CAPTURE(row.what);
    Stage stage;
    for (const char* id : {"a", "b", "c"}) stage.hear(id);
    for (const char id : row.heard) stage.hear(std::string(1, id));
    if (row.touched) stage.peers.touch(*stage.peers.find(row.touched));
    CHECK(stage.hear("d") == 11);
    CHECK(stage.peers.size() == 3);
    for (const Connection connection : {8U, 9U, 10U, 11U}) {
      CAPTURE(connection);
      CHECK((stage.peers.find(connection) == nullptr) == (connection == row.forgotten));
    }
  }
}

TEST_CASE("incoming peers: a forgotten peer leaves room for another") {
  Stage stage;
  for (const char* id : {"a", "b", "c"}) stage.hear(id);
  stage.peers.forget(8);
  stage.hear("d");
  CHECK(stage.peers.find(9) != nullptr);
  stage.hear("e");
  CHECK(stage.peers.find(9) == nullptr);
  CHECK(stage.peers.find(10) != nullptr);
  CHECK(stage.peers.size() == 3);
}

TEST_CASE("incoming peers: a far end has an account over ipc, and a link key over tcp") {
  const LinkKey key = public_of(new_link_secret());
  Stage stage;
  IncomingPeer& peer = *stage.peers.find(stage.hear("a"));
  const auto proved = [&](const std::string& address, const std::string& user) {
    return stage.peers.principal_of(peer, address, user);
  };
  CHECK(std::holds_alternative<Unproven>(proved("", "")));
  const Principal account = proved("localhost:0:0:1", "");
  REQUIRE(std::holds_alternative<Account>(account));
  CHECK(std::get<Account>(account).number == 0);
  const Principal other = proved("localhost:12345:0:1", "");
  REQUIRE(std::holds_alternative<Account>(other));
  CHECK(std::get<Account>(other).number == 12'345);
  const Principal link = proved("10.0.0.1", to_text(key));
  REQUIRE(std::holds_alternative<LinkKey>(link));
  CHECK(std::get<LinkKey>(link) == key);
  // Another far end took over the routing id.
  const Principal none = proved("10.0.0.1", "");
  REQUIRE(std::holds_alternative<LinkKey>(none));
  CHECK(std::get<LinkKey>(none) == LinkKey{});
}

TEST_CASE("incoming peers: the principal is looked up again only for another address or user") {
  Stage stage;
  IncomingPeer& peer = *stage.peers.find(stage.hear("a"));
  stage.peers.principal_of(peer, "localhost:0:0:1", "");
  peer.principal = Dialled{};
  CHECK(std::holds_alternative<Dialled>(stage.peers.principal_of(peer, "localhost:0:0:1", "")));
  CHECK(std::holds_alternative<Account>(stage.peers.principal_of(peer, "localhost:0:0:2", "")));
  CHECK(std::holds_alternative<Account>(peer.principal));
}

}  // namespace incoming_peers_test
