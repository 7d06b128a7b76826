// How long a site may rely on a lease, and how long it leaves the lease to its borrower, while messages about its term
// are under way [S46f, S46h].
#include "sitemgr/renewing.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::renewing_test {
namespace {

using namespace site_steps;

/// A lease that this site passes on from the north to the south. The north's Beats vouch for it; they are at most 3 s
/// old.
struct Carried : PartsStage {
  HopLease& lease = parts.leases.add(of_north());

  Carried() {
    parts.neighbours[north_place].stands = true;
    parts.neighbours[north_place].stale_after = seconds(3);
  }
  static HopLease of_north() {
    HopLease lease;
    lease.id = {SiteName("far"), {7, 9}};
    lease.upstream = north_place;
    lease.downstream = south_place;
    lease.granted = lease.promised = parts_start;
    lease.term = seconds(20);
    return lease;
  }
  /// When the site's own right ends, if the last vouching Beat left the north at `proved`.
  Instant right_from(Instant proved) {
    const HopLease before = lease;
    waver(parts, lease, proved);
    return std::exchange(lease, before).upstream_until;
  }
  /// Until when the site leaves the lease to the south, if its last Beat to the south left at `vouched`.
  Instant left_from(Instant vouched) {
    parts.neighbours.set_up(south_place, now, false);
    return promised_until(parts, vouched, lease);
  }
};

TEST_CASE(
    "renewing: a lease is good for its term from the last Beat that vouched, or from when it was asked for") {
  Carried stage;
  stage.lease.promised = parts_start + seconds(4);
  CHECK(stage.right_from(parts_start) == parts_start + seconds(24));
  CHECK(stage.right_from(parts_start + seconds(9)) == parts_start + seconds(29));
}

TEST_CASE("renewing: a shorter term takes nothing back of what earlier Beats promised") {
  Carried stage;
  const Instant proved = parts_start + seconds(10);
  const Duration before = promise_of(stage.parts, stage.lease);
  set_term(stage.parts, stage.lease, seconds(8), proved);
  CHECK(stage.right_from(proved + seconds(1)) == proved + seconds(20));
  CHECK(stage.right_from(proved + seconds(15)) == proved + seconds(23));  // by now the shorter term ends later
  CHECK(stage.left_from(proved) == proved + before);
}

TEST_CASE("renewing: Beats that don't speak for a lease prolong it no more, whatever term follows") {
  Carried stage;
  const Instant proved = parts_start + seconds(10);
  waver(stage.parts, stage.lease, proved);
  stage.lease.unsure = true;
  set_term(stage.parts, stage.lease, seconds(8), proved + seconds(6));
  stand(stage.parts, stage.lease);
  CHECK(stage.right_from(proved + seconds(7)) == proved + seconds(20));
}

TEST_CASE("renewing: after a restart the term of a lease is no promise until its lender says one [S122]") {
  Carried stage;
  stage.lease.unsure = true;
  stage.lease.term = seconds(30);  // of this site's own settings
  stage.lease.upstream_until = parts_start + seconds(30);
  set_term(stage.parts, stage.lease, seconds(20), {});
  stand(stage.parts, stage.lease);
  CHECK(stage.right_from(parts_start) == parts_start + seconds(20));
}

TEST_CASE(
    "renewing: a Grant that goes on without its lender's word promises no more than the own right has left") {
  Carried stage;
  CHECK(first_promise(stage.parts, parts_start, stage.lease) == promise_of(stage.parts, stage.lease));
  stage.lease.upstream_until = parts_start + seconds(5);
  CHECK(first_promise(stage.parts, parts_start, stage.lease) == seconds(5));
  CHECK(first_promise(stage.parts, parts_start + seconds(6), stage.lease) == milliseconds(1));
}

}  // namespace
}  // namespace dmm::renewing_test
