// Stories about frames along a delegation chain, as the site manager passes them on. The stage is in
// site_manager_stage.hpp.
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_relay_test {

using namespace dmm;
using namespace dmm::site_stage;

namespace {

Relay relay(const Party& from, const Party& to, SiteNames path, std::uint32_t position) {
  return {from, to, std::move(path), position, "frame"};
}

}  // namespace

TEST_CASE("relay: a frame is passed on only between parties that share a lease carried here [S53a]") {
  Stage stage;
  stage.offer(8);
  const auto to_fs0 = [&] { stage.hear(at_south, relay(bob, fs0, {south, home}, 1)); };
  const auto from_fs0 = [&] { stage.hear(fs0, relay(fs0, bob, {home, south}, 0)); };
  to_fs0();
  from_fs0();
  CHECK(stage.said<Relay>(fs0).empty());
  CHECK(stage.said<Relay>(at_south).empty());
  CHECK(stage.refused(south, "relay") == 1);

  const Grant granted = stage.lend_to(bob, 1, 2);
  to_fs0();
  from_fs0();
  CHECK(stage.said_once<Relay>(fs0).payload == "frame");
  CHECK(stage.said_once<Relay>(at_south).position == 1);

  stage.hear(at_south, Release{granted.lease, {}, false, false});
  stage.hear(fs0, Clean{granted.lease, {}});
  REQUIRE(stage.manager.leases().size() == 0);
  stage.pass(seconds(3999));
  to_fs0();
  CHECK(stage.said<Relay>(fs0).size() == 1);
  stage.pass(seconds(1));
  to_fs0();
  CHECK(stage.said<Relay>(fs0).empty());
  CHECK(stage.refused(south, "relay") == 2);
}

TEST_CASE("relay: a frame that didn't come the way it says is dropped, lease or no lease [S53a] [S53]") {
  Stage stage;
  stage.offer(8);
  stage.lend_to(bob, 1, 2);
  stage.hear(at_north, relay(bob, fs0, {south, home}, 1));
  CHECK(stage.refused(north, "relay") == 1);
  for (const Relay& wrong :
       {relay(bob, fs0, {south, home}, 0), relay(bob, fs0, {south, home}, 2), relay(bob, fs0, {north, home}, 1),
        relay(bob, fs0, {south, home, south}, 1), relay(bob, fs0, {}, 0), relay(alice, fs0, {south, home}, 1),
        relay(job_manager_of(south, "bob"), resource_manager_of(home, "fs1"), {south, home}, 1)})
    stage.hear(at_south, wrong);
  CHECK(stage.refused(south, "relay") == 7);
  CHECK(stage.said<Relay>(fs0).empty());
}

TEST_CASE("relay: a frame along a chain is passed on to the next site while that is up [S53]") {
  Stage stage;
  stage.down(fs0);
  stage.hear(at_south, delegate(bob, 1, 2));
  const auto asked = stage.said_once<Delegate>(at_north);
  Grant made = grant(asked, north, 2);
  made.chain = {north, home, south};
  stage.hear(at_north, made);
  CHECK(stage.said_once<Grant>(at_south).lease == made.lease);
  const Party far = resource_manager_of(north, "fs0");
  const auto send = [&] { stage.hear(at_south, relay(bob, far, {south, home, north}, 1)); };
  send();
  CHECK(stage.said_once<Relay>(at_north).position == 2);
  stage.down(at_north);
  send();
  CHECK(stage.said<Relay>(at_north).empty());
}

}  // namespace site_manager_relay_test
