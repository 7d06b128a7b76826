// Who may speak through a site along a delegation chain, and for how long.
#include "sitemgr/relay_rights.hpp"

#include <doctest/doctest.h>

namespace relay_rights_test {

using namespace dmm;

namespace {

constexpr Instant start{seconds(1000).microseconds};
constexpr Duration memory = seconds(4000);

const Party manager = resource_manager_of(SiteName("north"), "fs0");
const Party alice = job_manager_of(SiteName("south"), "alice");
const RelayPair pair{SiteName("south"), manager};
const RelayPair other{SiteName("west"), manager};

}  // namespace

TEST_CASE("a pair may speak while a lease of theirs is carried [S53a]") {
  RelayRights rights(memory);
  CHECK_FALSE(rights.may(pair));
  CHECK(rights.carry(pair));
  CHECK(rights.may(pair));
  CHECK_FALSE(rights.may(other));
  CHECK(rights.next_over() == never);
  CHECK(rights.take_over(start + duration_max).empty());
}

TEST_CASE("a pair may speak for a while after the last of its leases [S53a]") {
  RelayRights rights(memory);
  CHECK(rights.carry(pair));
  CHECK_FALSE(rights.carry(pair));
  rights.drop(start, pair);
  CHECK(rights.next_over() == never);
  rights.drop(start + seconds(10), pair);
  const Instant over = start + seconds(10) + memory;
  CHECK(rights.next_over() == over);
  CHECK(rights.take_over(over - microseconds(1)).empty());
  CHECK(rights.may(pair));
  CHECK(rights.take_over(over) == std::vector<RelayPair>{pair});
  CHECK_FALSE(rights.may(pair));
  CHECK(rights.next_over() == never);
  CHECK(rights.all().empty());
}

TEST_CASE("a lease within that while is of a pair that is known, and ends the waiting") {
  RelayRights rights(memory);
  rights.carry(pair);
  rights.drop(start, pair);
  CHECK_FALSE(rights.carry(pair));
  CHECK(rights.next_over() == never);
  CHECK(rights.take_over(start + memory).empty());
  rights.drop(start + seconds(60), pair);
  CHECK(rights.next_over() == start + seconds(60) + memory);
}

TEST_CASE("a pair whose memory is over is new again") {
  RelayRights rights(memory);
  rights.carry(pair);
  rights.drop(start, pair);
  rights.take_over(start + memory);
  CHECK(rights.carry(pair));
}

TEST_CASE("pairs are over one by one, each at its time") {
  RelayRights rights(memory);
  for (const RelayPair& one : {pair, other}) rights.carry(one);
  rights.drop(start + seconds(5), pair);
  rights.drop(start, other);
  CHECK(rights.all().size() == 2);
  CHECK(rights.take_over(start + memory) == std::vector<RelayPair>{other});
  CHECK(rights.may(pair));
  CHECK(rights.take_over(start + memory + seconds(60)) == std::vector<RelayPair>{pair});
}

TEST_CASE("after a restart a pair may speak for as long as after a lease, counted anew") {
  RelayRights rights(memory);
  rights.restore(start, pair);
  CHECK(rights.may(pair));
  CHECK(rights.next_over() == start + memory);
  SUBCASE("nothing comes of it") { CHECK(rights.take_over(start + memory) == std::vector<RelayPair>{pair}); }
  SUBCASE("its lease is found again") {
    CHECK_FALSE(rights.carry(pair));
    CHECK(rights.next_over() == never);
  }
  SUBCASE("it is remembered twice") {
    rights.restore(start + seconds(10), pair);
    CHECK(rights.next_over() == start + memory);
  }
}

TEST_CASE("a pair whose lease was found before isn't made to end by the memory of it") {
  RelayRights rights(memory);
  rights.carry(pair);
  rights.restore(start, pair);
  CHECK(rights.next_over() == never);
}

TEST_CASE("only a job manager and a resource manager are a pair, in both directions alike [S53a]") {
  CHECK(pair_of(alice, manager) == pair);
  CHECK(pair_of(manager, alice) == pair);
  CHECK_FALSE(pair_of(alice, alice).has_value());
  CHECK_FALSE(pair_of(manager, manager).has_value());
  CHECK_FALSE(pair_of(site_manager_of(SiteName("south")), manager).has_value());
  CHECK_FALSE(pair_of(alice, Party{SiteName("north"), Role::client, "cli-1"}).has_value());
}

}  // namespace relay_rights_test
