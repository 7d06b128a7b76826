// Which jobs hold a lease, and which still run something under it.
#include "jobmgr/held_leases.hpp"

#include <doctest/doctest.h>

namespace held_leases_test {

using namespace dmm;

namespace {

using Jobs = std::vector<std::uint64_t>;

const Instant start{seconds(100).microseconds};
const LeaseId lease{SiteName("das"), {1, 7}};

}  // namespace

TEST_CASE("held leases: what runs under a lease is known after its nodes are gone, and starts nothing new") {
  HeldLeases leases;
  leases.add(start, lease, 1, seconds(30), {});
  leases.open(lease, 1);
  CHECK(leases.usable(start, lease));
  CHECK(leases.grants() == 1);
  leases.remove(lease, 1);
  CHECK_FALSE(leases.usable(start, lease));
  CHECK_FALSE(leases.holds(lease, 1));
  CHECK(leases.grants() == 0);
  CHECK(leases.open_under(lease) == Jobs{1});
  CHECK(leases.close(lease, 1));
  CHECK_FALSE(leases.close(lease, 1));
  CHECK(leases.all_open().empty());
}

TEST_CASE("held leases: jobs that share a lease come and go each by itself") {
  HeldLeases leases;
  for (const std::uint64_t job : {2, 1}) {
    leases.add(start, lease, job, seconds(30), {});
    leases.open(lease, job);
  }
  CHECK(leases.open_under(lease) == Jobs{1, 2});
  CHECK(leases.close(lease, 1));
  leases.remove(lease, 1);
  CHECK(leases.holds(lease, 2));
  CHECK(leases.is_open(lease, 2));
  CHECK_FALSE(leases.is_open(lease, 1));
  CHECK(leases.usable(start, lease));
}

TEST_CASE("held leases: a lease of before a restart is awaited only by those that hold it") {
  HeldLeases leases;
  leases.open(lease, 1);
  CHECK_FALSE(leases.awaited(start, lease));
  leases.restore(lease, 1);
  CHECK(leases.awaited(start, lease));
  CHECK_FALSE(leases.usable(start, lease));
  leases.promise(start, lease, seconds(30));
  CHECK(leases.usable(start, lease));
}

TEST_CASE("held leases: a lease is good while Beats vouch for it, and for its term from the last of them [S121]") {
  HeldLeases leases;
  leases.stand();
  leases.add(start, lease, 1, seconds(10), {});
  CHECK(leases.usable(start + seconds(3600), lease));
  leases.waver(start + seconds(100));
  CHECK(leases.usable(start + milliseconds(109'899), lease));
  CHECK_FALSE(leases.usable(start + milliseconds(109'900), lease));
  leases.stand();
  CHECK(leases.usable(start + seconds(3600), lease));
  leases.promise(start, lease, not_known);
  CHECK_FALSE(leases.usable(start, lease));
  CHECK(leases.awaited(start, lease));
  leases.promise(start + seconds(200), lease, seconds(5));
  leases.waver(start + seconds(199));  // the later message counts
  CHECK(leases.usable(start + seconds(204), lease));
  CHECK_FALSE(leases.usable(start + seconds(205), lease));
}

TEST_CASE(
    "held leases: what a grant promised is good before Beats speak for its lease, not after a restart [S121]") {
  HeldLeases leases;
  leases.stand();
  leases.add(start + seconds(3), lease, 1, seconds(10), start);
  leases.promise(start + seconds(3), lease, not_known);
  CHECK(leases.usable(start + milliseconds(9'899), lease));
  CHECK_FALSE(leases.awaited(start + milliseconds(9'899), lease));
  CHECK_FALSE(leases.usable(start + milliseconds(9'900), lease));  // from when it left its home site
  CHECK(leases.awaited(start + milliseconds(9'900), lease));
  leases.promise(start + seconds(11), lease, seconds(10));
  CHECK(leases.usable(start + seconds(3600), lease));
  leases.add(start + seconds(12), lease, 2, seconds(10), start + seconds(11));
  leases.suspend();
  CHECK_FALSE(leases.usable(start + seconds(12), lease));
  CHECK(leases.awaited(start + seconds(12), lease));
}

}  // namespace held_leases_test
