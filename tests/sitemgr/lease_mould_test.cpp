// A lease as messages and rows, and back.
#include "sitemgr/lease_mould.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::lease_mould_test {
namespace {

NodeGroup group() {
  NodeGroup group;
  group.resource_manager = resource_manager_of(SiteName("far"), "fs0");
  group.cluster = ClusterName("c");
  group.nodes = {{0, 3}};
  group.processors_per_node = 2;
  return group;
}

/// A lease that this site carries from the north to the south.
HopLease carried() {
  HopLease lease;
  lease.id = {SiteName("far"), {7, 9}};
  lease.request = {SiteName("user"), "bob", 3, 2};
  lease.part = 1;
  lease.round = 2;
  lease.state = LeaseState::active;
  lease.upstream = north_place;
  lease.downstream = south_place;
  lease.nodes = {group()};
  lease.granted = parts_start;
  lease.processors = 8;
  lease.processor_microseconds = 77;
  lease.term = seconds(40);
  lease.length = seconds(600);
  lease.round_trip = seconds(1);
  lease.expected_until = parts_start + seconds(300);
  lease.grace = seconds(5);
  lease.detached = true;
  lease.jobs = 3;
  lease.protected_until = parts_start + seconds(50);
  lease.chain = {SiteName("far"), SiteName("north"), SiteName("home"), SiteName("south"), SiteName("user")};
  lease.owner_ancestors = {SiteName("root")};
  lease.blocks = {"block"};
  return lease;
}

TEST_CASE("lease mould: a row brings a lease back as it was, but for what only time and its lender can tell") {
  PartsStage stage;
  const HopLease lease = carried();
  LeaseRecord row = record_of(lease, stage.parts.neighbours);
  CHECK(row.upstream == SiteName("north"));
  CHECK(row.downstream == SiteName("south"));
  const Instant now = parts_start + seconds(100);
  const HopLease back = lease_from(row, now, north_place, south_place, seconds(30));
  LeaseRecord first = record_of(lease, stage.parts.neighbours), again = record_of(back, stage.parts.neighbours);
  CHECK(LeaseRecord::fields(first) == LeaseRecord::fields(again));
  CHECK(back.unsure);
  CHECK(back.upstream_until == now + lease.term);
  CHECK(back.downstream_until > now + lease.term);
}

TEST_CASE(
    "lease mould: a row of an offer is that of a lease that may have been claimed, but for a site in between") {
  PartsStage stage;
  HopLease lease = carried();
  lease.state = LeaseState::offered;
  lease.term = seconds(10);
  LeaseRecord row = record_of(lease, stage.parts.neighbours);
  LeaseRecord copy = row;
  const HopLease back = lease_from(row, parts_start, std::nullopt, south_place, seconds(30));
  CHECK(back.state == LeaseState::active);
  CHECK(back.term == seconds(30));
  // The Inventories of its neighbours tell.
  CHECK(lease_from(copy, parts_start, north_place, south_place, seconds(30)).state == LeaseState::offered);
}

TEST_CASE("lease mould: a Grant that is passed on makes the same lease at the next hop") {
  const HopLease lease = carried();
  const Instant now = parts_start + seconds(100);
  const Grant grant = grant_of(lease, lease.nodes, now, seconds(25));
  CHECK(grant.length == seconds(500));
  const HopLease next = lease_from(grant, now, now - seconds(3), north_place, false);
  CHECK(next.id == lease.id);
  CHECK(next.request == lease.request);
  CHECK(next.part == lease.part);
  CHECK(next.round == lease.round);
  CHECK(next.nodes == lease.nodes);
  CHECK(next.chain == lease.chain);
  CHECK(next.owner_ancestors == lease.owner_ancestors);
  CHECK(next.blocks == lease.blocks);
  CHECK(next.grace == lease.grace);
  CHECK(next.round_trip == lease.round_trip);
  CHECK(next.processors == 8);
  CHECK(next.term == seconds(25));
  CHECK(next.limit() == lease.limit());
  CHECK(grant.expected == seconds(200));
  CHECK(next.expected_until == lease.expected_until);
  CHECK(next.upstream_until == now + seconds(22));  // from when the Grant left the lender
  CHECK(lease_from(grant, now, now, north_place, true).upstream_until == never);
}

TEST_CASE("lease mould: an owner that expects nothing says so, and one that was wrong says that it is over") {
  HopLease lease = carried();
  lease.expected_until = never;
  CHECK(grant_of(lease, lease.nodes, parts_start, seconds(25)).expected == Duration{});
  lease.expected_until = parts_start + seconds(1);
  const Grant late = grant_of(lease, lease.nodes, parts_start + seconds(2), seconds(25));
  CHECK(late.expected == microseconds(1));
  lease.expected_until = never;
  const Grant open = grant_of(lease, lease.nodes, parts_start, seconds(25));
  CHECK(lease_from(open, parts_start, parts_start, north_place, true).expected_until == never);
}

TEST_CASE("lease mould: a holding that a lender names makes the hop that was lost") {
  const HopLease lease = carried();
  const Instant now = parts_start + seconds(100);
  const Holding lent = holding_of(lease, lease.request, lease.nodes, now, seconds(25));
  const HopLease hop = lease_from(lent, now, north_place, south_place, true, seconds(30));
  CHECK(hop.state == LeaseState::active);
  CHECK(hop.nodes == lease.nodes);
  CHECK(hop.chain == lease.chain);
  CHECK(hop.limit() == lease.limit());
  CHECK(hop.term == seconds(25));
  CHECK(hop.upstream_until == never);
  const Holding unknown = holding_of(lease, lease.request, lease.nodes, now, not_known);
  const HopLease unsure = lease_from(unknown, now, north_place, south_place, true, seconds(30));
  CHECK(unsure.unsure);
  CHECK(unsure.term == seconds(30));
  CHECK(unsure.upstream_until == now + seconds(30));
}

}  // namespace
}  // namespace dmm::lease_mould_test
