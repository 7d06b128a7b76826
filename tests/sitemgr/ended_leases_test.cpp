// Why leases ended, as told to holders that were away.
#include "sitemgr/ended_leases.hpp"

#include <doctest/doctest.h>

namespace dmm::ended_leases_test {
namespace {

constexpr Instant now{seconds(100).microseconds};

LeaseId lease(std::uint64_t counter) { return {SiteName("home"), {1, counter}}; }

LeaseEnd reason_of(const EndedLeases& ended, std::uint64_t counter) {
  return ended.told(now, lease(counter), {}).reason;
}

}  // namespace

TEST_CASE("ended leases: a holder that was away is told why, and what is left of the grace [S122b]") {
  EndedLeases ended;
  ended.add(now, lease(1), LeaseEnd::reclaimed, seconds(60));
  const LeaseEnded told = ended.told(now + seconds(20), lease(1), {});
  CHECK(told.reason == LeaseEnd::reclaimed);
  CHECK(told.grace == seconds(40));
  CHECK_FALSE(told.confirmed);
  CHECK(ended.told(now + seconds(90), lease(1), {}).grace == Duration{});
  CHECK(reason_of(ended, 2) == LeaseEnd::unknown);
}

TEST_CASE("ended leases: the latest reason counts, and the oldest leases are forgotten beyond a limit") {
  EndedLeases ended;
  ended.add(now, lease(1), LeaseEnd::node_lost, {});
  ended.add(now, lease(1), LeaseEnd::node_removed, {});
  CHECK(reason_of(ended, 1) == LeaseEnd::node_removed);
  for (std::uint64_t counter = 2; counter <= EndedLeases::remembered_max; ++counter)
    ended.add(now, lease(counter), LeaseEnd::link_removed, {});
  CHECK(reason_of(ended, 1) == LeaseEnd::node_removed);
  ended.add(now, lease(EndedLeases::remembered_max + 1), LeaseEnd::link_removed, {});
  CHECK(reason_of(ended, 1) == LeaseEnd::unknown);
  CHECK(reason_of(ended, 2) == LeaseEnd::link_removed);
}

}  // namespace dmm::ended_leases_test
