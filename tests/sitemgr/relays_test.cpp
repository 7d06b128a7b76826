// Which frames a site passes on along a delegation chain, and for how long.
#include "sitemgr/relays.hpp"

#include <doctest/doctest.h>

namespace dmm::relays_test {
namespace {

constexpr Instant start{seconds(1000).microseconds};
constexpr Duration memory = seconds(4000);

const SiteName north("north"), middle("middle"), south("south");
const Party nodes = resource_manager_of(north, "fs0");
const Party alice = job_manager_of(south, "alice");

/// A lease of north's nodes that middle carries to `sink`.
HopLease lease_to(const SiteName& sink) {
  HopLease lease;
  lease.upstream = 0;
  lease.downstream = 1;
  lease.chain = {north, middle, sink};
  lease.managers.push_back(nodes);
  return lease;
}

Relay frame_of(const Party& from, const Party& to, SiteNames path, std::uint32_t position) {
  Relay relay;
  relay.from = from;
  relay.to = to;
  relay.path = std::move(path);
  relay.position = position;
  return relay;
}

const Relay upwards = frame_of(alice, nodes, {south, middle, north}, 1);

bool may(const Relays& relays, const Relay& relay, const Party& from, bool is_known = true) {
  return relays.may(relay, from, [&](const Party&) { return is_known; });
}
bool speaks(const Relays& relays) { return may(relays, upwards, site_manager_of(south)); }

/// The changed rows: how many pairs began, and how many ended.
std::pair<int, int> changes_of(Relays& relays) {
  LedgerChanges<SiteRecord> ledger;
  ledger.wanted = true;
  relays.write(ledger);
  std::pair<int, int> changes;
  for (const auto& change : ledger.list) ++(change.erased ? changes.second : changes.first);
  return changes;
}

TEST_CASE("relays: a sink and a resource manager may speak while a lease of theirs is carried [S53a]") {
  Relays relays(middle, memory);
  CHECK_FALSE(speaks(relays));
  relays.carry(lease_to(south));
  CHECK(speaks(relays));
  const SiteName west("west");
  const Relay other = frame_of(job_manager_of(west, "bob"), nodes, {west, middle, north}, 1);
  CHECK_FALSE(may(relays, other, site_manager_of(west)));
  CHECK(relays.next_deadline() == never);
  CHECK(changes_of(relays) == std::pair{1, 0});
}

TEST_CASE("relays: a pair may speak for a while after the last of its leases [S53a]") {
  Relays relays(middle, memory);
  relays.carry(lease_to(south));
  relays.carry(lease_to(south));
  CHECK(changes_of(relays) == std::pair{1, 0});
  relays.drop(start, lease_to(south));
  CHECK(relays.next_deadline() == never);
  relays.drop(start + seconds(10), lease_to(south));
  const Instant over = start + seconds(10) + memory;
  CHECK(relays.next_deadline() == over);
  relays.sweep(over - microseconds(1));
  CHECK(speaks(relays));
  SUBCASE("then no longer") {
    relays.sweep(over);
    CHECK_FALSE(speaks(relays));
    CHECK(changes_of(relays) == std::pair{0, 1});
    CHECK(relays.next_deadline() == never);
    relays.carry(lease_to(south));
    CHECK(changes_of(relays) == std::pair{1, 0});
  }
  SUBCASE("a lease within that while ends the waiting, and is no news") {
    relays.carry(lease_to(south));
    CHECK(relays.next_deadline() == never);
    CHECK(changes_of(relays) == std::pair{0, 0});
  }
}

TEST_CASE("relays: pairs are over one by one, each at its time") {
  Relays relays(middle, memory);
  for (const SiteName& sink : {south, SiteName("west")}) relays.carry(lease_to(sink));
  relays.drop(start + seconds(5), lease_to(south));
  relays.drop(start, lease_to(SiteName("west")));
  std::vector<SiteRecord> rows;
  relays.add_records(rows);
  CHECK(rows.size() == 2);
  relays.sweep(start + memory);
  CHECK(speaks(relays));
  relays.sweep(start + memory + seconds(60));
  CHECK_FALSE(speaks(relays));
}

TEST_CASE("relays: after a restart a pair may speak for as long as after a lease, counted from now") {
  Relays relays(middle, memory);
  relays.restore(start, {{south, nodes}});
  CHECK(speaks(relays));
  CHECK(relays.next_deadline() == start + memory);
  SUBCASE("no lease of theirs comes again") {
    relays.sweep(start + memory);
    CHECK_FALSE(speaks(relays));
  }
  SUBCASE("their lease is found again") {
    relays.carry(lease_to(south));
    CHECK(relays.next_deadline() == never);
  }
  SUBCASE("it is remembered twice") {
    relays.restore(start + seconds(10), {{south, nodes}});
    CHECK(relays.next_deadline() == start + memory);
  }
}

TEST_CASE("relays: a lease at home needs none") {
  Relays relays(north, memory);
  HopLease own = lease_to(north);
  own.upstream.reset();
  own.downstream.reset();
  relays.carry(own);
  CHECK(changes_of(relays) == std::pair{0, 0});
  relays.drop(start, own);
  CHECK(relays.next_deadline() == never);
}

TEST_CASE("relays: a frame comes the way that it names, between parties that share a lease [S53a]") {
  Relays relays(middle, memory);
  relays.carry(lease_to(south));
  const SiteNames up{south, middle, north}, down{north, middle, south};
  const Party before = site_manager_of(south);
  struct Row {
    const char* name;
    Relay relay;
    Party from;
    bool may;
  };
  const Party bob = job_manager_of(north, "bob"), client{south, Role::client, "cli-1"};
  for (const Row& row : {
           Row{"up the chain", upwards, before, true},
           Row{"down the chain", frame_of(nodes, alice, down, 1), site_manager_of(north), true},
           Row{"from another site than the one before us", upwards, site_manager_of(north), false},
           Row{"from its sender, who is not on a link of ours", upwards, alice, false},
           Row{"at a position that isn't ours", frame_of(alice, nodes, up, 0), alice, false},
           Row{"at a position beyond the path", frame_of(alice, nodes, up, 7), before, false},
           Row{"along a path that leads elsewhere", frame_of(alice, nodes, {south, middle}, 1), before, false},
           Row{"between two job managers", frame_of(alice, bob, up, 1), before, false},
           Row{"from a client", frame_of(client, nodes, up, 1), before, false},
           Row{"from a site manager", frame_of(before, nodes, up, 1), before, false},
       }) {
    CAPTURE(row.name);
    CHECK(may(relays, row.relay, row.from) == row.may);
  }
}

TEST_CASE("relays: the last site passes a frame on only to a party that it knows") {
  Relays relays(north, memory);
  HopLease lent = lease_to(south);
  lent.upstream.reset();
  relays.carry(lent);
  const Relay last = frame_of(alice, nodes, {south, middle, north}, 2);
  CHECK(may(relays, last, site_manager_of(middle), true));
  CHECK_FALSE(may(relays, last, site_manager_of(middle), false));
}

}  // namespace
}  // namespace dmm::relays_test
