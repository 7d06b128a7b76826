// The table of a site's leases, alone.
#include <doctest/doctest.h>

#include "sitemgr/lease_book.hpp"

namespace lease_book_test {

using namespace dmm;

namespace {

LeaseId owned(std::uint64_t number) { return {SiteName("owner"), {.incarnation = 1, .counter = number}}; }

/// A lease that its owner lent to neighbour 0 and takes back after `length`.
HopLease lent(std::uint64_t number, Duration length) {
  HopLease lease;
  lease.id = owned(number);
  lease.state = LeaseState::active;
  lease.downstream = 0;
  lease.length = length;
  return lease;
}

}  // namespace

TEST_CASE("lease table: leases that have ended are not watched until the last moment they might have lasted") {
  LeaseBook table(1, seconds(30));
  table.watch(table.add(lent(1, seconds(10))));
  table.erase(owned(1));
  CHECK(table.next_deadline() == Instant{} + seconds(10));
  for (std::uint64_t number = 2; number < 200; ++number) {
    table.watch(table.add(lent(number, seconds(100))));
    if (number % 2) table.erase(owned(number));
  }
  CHECK(table.next_deadline() == Instant{} + seconds(100));
  std::size_t watched = 0;
  while (HopLease* lease = table.take_over(Instant{} + seconds(100))) {
    CHECK(lease->id.epoch.counter % 2 == 0);
    ++watched;
  }
  CHECK(watched == 99);
}

}  // namespace lease_book_test
