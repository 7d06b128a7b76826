// Leases without a job, alone: which end, and when.
#include "resmgr/idle_leases.hpp"

#include <doctest/doctest.h>

namespace dmm::idle_leases_test {
namespace {

constexpr Instant start{seconds(100).microseconds};

Epoch lease(std::uint64_t counter, std::uint64_t incarnation = 1) { return {incarnation, counter}; }

using Leases = std::vector<Epoch>;

}  // namespace

TEST_CASE("idle leases: without an idle lease there is nothing to end") {
  IdleLeases leases;
  CHECK(leases.next() == never);
  CHECK(leases.take(never - microseconds(1)).empty());
  leases.busy(lease(1));
  CHECK(leases.next() == never);
}

TEST_CASE("idle leases: a lease ends at its limit, not before, and once") {
  struct Row {
    Duration longest, after;
    bool ends;
  };
  const Row rows[] = {
      {seconds(5), {}, false},
      {seconds(5), seconds(5) - microseconds(1), false},
      {seconds(5), seconds(5), true},
      {seconds(5), seconds(9), true},
      {{}, {}, true},
  };
  for (const Row& row : rows) {
    IdleLeases leases;
    leases.idle(start, lease(1), row.longest);
    CHECK(leases.next() == start + row.longest);
    CAPTURE(row.after.microseconds);
    CHECK(leases.take(start + row.after) == (row.ends ? Leases{lease(1)} : Leases{}));
    CHECK(leases.next() == (row.ends ? never : start + row.longest));
    CHECK(leases.take(start + row.after).empty());
  }
}

TEST_CASE("idle leases: what is said again doesn't move the end, until a job came between") {
  IdleLeases leases;
  leases.idle(start, lease(1), seconds(5));
  leases.idle(start + seconds(2), lease(1), seconds(5));
  leases.idle(start + seconds(2), lease(1), seconds(1));
  CHECK(leases.next() == start + seconds(5));
  leases.busy(lease(1));
  CHECK(leases.next() == never);
  leases.busy(lease(1));
  leases.idle(start + seconds(3), lease(1), seconds(5));
  CHECK(leases.next() == start + seconds(8));
  CHECK(leases.take(start + seconds(8)) == Leases{lease(1)});
  leases.idle(start + seconds(9), lease(1), seconds(5));  // it counts as busy since it was taken
  CHECK(leases.next() == start + seconds(14));
}

TEST_CASE("idle leases: the first to end comes first, then the older lease") {
  IdleLeases leases;
  leases.idle(start, lease(1, 2), seconds(3));
  leases.idle(start, lease(9), seconds(3));
  leases.idle(start, lease(2), seconds(3));
  leases.idle(start, lease(4), seconds(1));
  leases.idle(start, lease(3), seconds(4));
  CHECK(leases.next() == start + seconds(1));
  leases.busy(lease(9));
  CHECK(leases.take(start + seconds(3)) == Leases{lease(4), lease(2), lease(1, 2)});
  CHECK(leases.next() == start + seconds(4));
}

}  // namespace dmm::idle_leases_test
