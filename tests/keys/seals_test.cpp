// Sealed frames: only their receiver can open them, only with its own link key, and only unchanged.
#include "keys/seals.hpp"

#include <doctest/doctest.h>

namespace seals_test {

using namespace dmm;

TEST_CASE("seals: the receiver opens a frame and learns which link key sealed it") {
  const LinkSecret ann = new_link_secret(), nodes = new_link_secret();
  Seals from(ann, new_seal_salt()), to(nodes, new_seal_salt());
  for (const std::string& frame : {std::string(), std::string("start"), std::string(100'000, 'x')}) {
    const std::string payload = from.seal(public_of(nodes), frame);
    CHECK(Seals::is_sealed(payload));
    const auto opened = to.open(payload);
    REQUIRE(opened);
    CHECK(opened->frame == frame);
    CHECK(opened->from == public_of(ann));
    if (frame.size() > 1) CHECK(payload.find(frame) == std::string::npos);
  }
  CHECK(from.seal(public_of(nodes), "start") != from.seal(public_of(nodes), "start"));
}

TEST_CASE("seals: no changed byte, no shorter frame and no other receiver opens") {
  const LinkSecret ann = new_link_secret(), nodes = new_link_secret();
  Seals from(ann, new_seal_salt()), to(nodes, new_seal_salt()), other(new_link_secret(), new_seal_salt());
  const std::string payload = from.seal(public_of(nodes), "start");
  for (std::size_t i = 0; i < payload.size(); ++i) {
    CAPTURE(i);
    std::string changed = payload;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(to.open(changed));
    CHECK_FALSE(to.open(payload.substr(0, i)));
  }
  CHECK(to.open(payload));
  CHECK_FALSE(other.open(payload));
  CHECK_FALSE(from.open(payload));
}

TEST_CASE("seals: a frame in the name of another link key doesn't open") {
  const LinkSecret ann = new_link_secret(), nodes = new_link_secret(), thief = new_link_secret();
  Seals from(thief, new_seal_salt()), real(ann, new_seal_salt()), to(nodes, new_seal_salt());
  std::string payload = from.seal(public_of(nodes), "start");
  const std::string named = real.seal(public_of(nodes), "start");
  payload.replace(34, key_bytes, named.substr(34, key_bytes));
  CHECK_FALSE(to.open(payload));
}

TEST_CASE("seals: the secret before the newest still opens, and older ones don't") {
  const LinkSecret ann = new_link_secret(), first = new_link_secret(), second = new_link_secret();
  Seals from(ann, new_seal_salt()), to(first, new_seal_salt());
  const std::string payload = from.seal(public_of(first), "start");
  to.use(second);
  CHECK(to.key() == public_of(second));
  CHECK(to.open(payload));
  CHECK(to.open(from.seal(public_of(second), "start")));
  to.use(new_link_secret());
  CHECK_FALSE(to.open(payload));
  CHECK(to.open(from.seal(public_of(second), "start")));
}

TEST_CASE("seals: nothing is sealed to a key that shares one secret with all others") {
  Seals from(new_link_secret(), new_seal_salt());
  CHECK(from.seal(LinkKey{}, "start").empty());
  LinkKey one;
  one.bytes[0] = 1;
  CHECK(from.seal(one, "start").empty());
}

TEST_CASE("seals: what pairs share is forgotten beyond a bound, and nothing is lost by it") {
  const LinkSecret nodes = new_link_secret();
  Seals to(nodes, new_seal_salt());
  const LinkSecret ann = new_link_secret();
  Seals from(ann, new_seal_salt());
  const std::string payload = from.seal(public_of(nodes), "start");
  for (std::size_t i = 0; i <= Seals::shared_max; ++i) {
    LinkKey other;
    other.bytes[0] = 9, other.bytes[1] = static_cast<std::uint8_t>(i),
    other.bytes[2] = static_cast<std::uint8_t>(i >> 8);
    to.seal(other, "x");
  }
  CHECK(to.open(payload));
}

TEST_CASE("seals: the holder of a link secret shows it to its site, in its own name") {
  const SiteSecret site = new_site_secret(), other = new_site_secret();
  const LinkSecret ann = new_link_secret(), thief = new_link_secret();
  const std::string shown = possession_of(ann, new_seal_salt(), public_of(site), "jobmgr alpha/ann");
  CHECK(shows_possession(shown, public_of(ann), site, "jobmgr alpha/ann"));
  CHECK_FALSE(shows_possession(shown, public_of(ann), site, "jobmgr alpha/bob"));
  CHECK_FALSE(shows_possession(shown, public_of(thief), site, "jobmgr alpha/ann"));
  CHECK_FALSE(shows_possession(shown, public_of(ann), other, "jobmgr alpha/ann"));
  CHECK_FALSE(shows_possession("", public_of(ann), site, "jobmgr alpha/ann"));
}

}  // namespace seals_test
