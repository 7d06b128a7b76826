// Which co-allocated request goes first at an owner.
#include "sitemgr/holds.hpp"

#include <doctest/doctest.h>

namespace holds_test {

using namespace dmm;

namespace {

Precedence request(std::int64_t since, std::uint64_t job = 1) {
  return {Instant{since * 10'000'000}, {SiteName("home"), "ann", job, 1}};
}
LeaseId lease(std::uint64_t number) { return {SiteName("owner"), {1, number}}; }
constexpr Instant start{1'000'000'000};

}  // namespace

TEST_CASE("holds: an older request finds the leases of younger ones, the youngest first [S76e]") {
  Holds holds;
  holds.add(lease(1), request(10, 1));
  holds.add(lease(2), request(30, 2));
  holds.add(lease(3), request(20, 3));
  CHECK(holds.younger_than(request(15, 9)) == std::vector{lease(2), lease(3)});
  CHECK(holds.younger_than(request(40, 9)).empty());
  holds.drop(lease(2));
  CHECK(holds.younger_than(request(15, 9)) == std::vector{lease(3)});
}

TEST_CASE("holds: a request never takes its own leases, and equal ones go by their names [S76e]") {
  Holds holds;
  holds.add(lease(1), request(10, 2));
  CHECK(holds.younger_than(request(10, 2)).empty());
  CHECK(holds.younger_than(request(5, 2)).empty());
  CHECK(holds.younger_than(request(10, 1)) == std::vector{lease(1)});
  CHECK(holds.younger_than(request(10, 3)).empty());
}

TEST_CASE("holds: a request keeps for a minute the age that it was measured to have first [S76e]") {
  Holds holds;
  const Precedence first = request(10, 1), other = request(11, 2), again = request(9, 2);
  CHECK(holds.as_measured_first(start, first).since == first.since);
  CHECK(holds.as_measured_first(start, other).since == other.since);
  CHECK(holds.as_measured_first(start + seconds(59), again).since == other.since);
  CHECK(holds.as_measured_first(start + seconds(60), again).since == again.since);
}

TEST_CASE("holds: the order of requests is by their waits, then by their names, and never a circle [S76e]") {
  const Precedence a{start, {SiteName("home"), "ann", 1, 1}}, b{start, {SiteName("home"), "ann", 2, 1}},
      older{start - Duration{1}, {SiteName("home"), "ann", 3, 1}};
  CHECK(goes_before(a, b));
  CHECK_FALSE(goes_before(b, a));
  CHECK(goes_before(older, a));
  CHECK(goes_before(older, b));
  CHECK_FALSE(goes_before(a, older));
}

TEST_CASE("holds: a younger request holds nothing for a while after an older one found the nodes held [S76e]") {
  Holds holds;
  CHECK(holds.may_hold(start, request(50, 2)));
  holds.turned_away(start, request(10, 1));
  CHECK_FALSE(holds.may_hold(start + milliseconds(11'999), request(50, 2)));
  CHECK(holds.may_hold(start, request(10, 1)));
  CHECK(holds.may_hold(start, request(-20, 3)));
  CHECK(holds.may_hold(start + seconds(12), request(50, 2)));
}

TEST_CASE("holds: younger requests follow at once when the one that was to go first has its nodes [S76e]") {
  Holds holds;
  holds.turned_away(start, request(10, 1), seconds(60));
  CHECK_FALSE(holds.may_hold(start + seconds(59), request(50, 2)));
  holds.add(lease(1), request(10, 1));
  holds.claimed(lease(1));
  CHECK(holds.size() == 0);
  CHECK(holds.may_hold(start, request(50, 2)));
}

TEST_CASE("holds: a younger request that is turned away doesn't take the older one's place [S76e]") {
  Holds holds;
  holds.turned_away(start, request(10, 1));
  holds.turned_away(start + seconds(1), request(20, 2));
  CHECK_FALSE(holds.may_hold(start + seconds(1), request(20, 2)));
  holds.turned_away(start + seconds(12), request(20, 2));
  CHECK(holds.may_hold(start + seconds(12), request(20, 2)));
  CHECK_FALSE(holds.may_hold(start + seconds(12), request(30, 3)));
}

}  // namespace holds_test
