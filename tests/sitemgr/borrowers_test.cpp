// Which borrower is served next, by what each was served over its weight, and which borrowers are lent nothing for a
// while.
#include "sitemgr/borrowers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace borrowers_test {

using namespace dmm;

namespace {

constexpr Instant start{seconds(1000).microseconds};

Borrowers borrowers_of(const std::vector<double>& weights) {
  std::vector<NeighbourSettings> neighbours;
  for (const double weight : weights) {
    NeighbourSettings one;
    one.site = SiteName("s" + std::to_string(neighbours.size()));
    one.limits.weight = weight;
    neighbours.push_back(std::move(one));
  }
  return Borrowers(neighbours);
}

std::optional<std::size_t> first_of(const Borrowers& borrowers, Instant now) {
  return borrowers.first(now, [](std::size_t) { return true; });
}

/// Lends one processor for ten seconds at a time to the first borrower; returns the borrower of each turn.
std::vector<std::size_t> take_turns(Borrowers& borrowers, Instant& now, int turns) {
  std::vector<std::size_t> had;
  for (int turn = 0; turn < turns; ++turn) {
    const auto first = first_of(borrowers, now);
    REQUIRE(first.has_value());
    borrowers.lend(now, *first, 1);
    now = now + seconds(10);
    borrowers.returned(now, *first, 1);
    had.push_back(*first);
  }
  return had;
}

}  // namespace

TEST_CASE("borrowers: two of equal weight that both wait have turns one after the other [S75]") {
  Borrowers borrowers = borrowers_of({1, 1});
  Instant now = start;
  for (const std::size_t i : {0U, 1U}) borrowers.hear(now, i, 100, 1);
  CHECK(take_turns(borrowers, now, 6) == std::vector<std::size_t>{0, 1, 0, 1, 0, 1});
  CHECK(borrowers.served(now, 0) == doctest::Approx(30e6));
  CHECK(borrowers.view(now, 1).served_seconds == doctest::Approx(30));
}

TEST_CASE("borrowers: twice the weight gets twice the service [S75]") {
  Borrowers borrowers = borrowers_of({1, 2});
  Instant now = start;
  for (const std::size_t i : {0U, 1U}) borrowers.hear(now, i, 100, 1);
  const auto had = take_turns(borrowers, now, 30);
  CHECK(std::ranges::count(had, std::size_t{1}) == 20);
  CHECK(borrowers.served(now, 0) == doctest::Approx(borrowers.served(now, 1)));
}

TEST_CASE("borrowers: a new weight counts from when it is set, not for what was served before") {
  Borrowers borrowers = borrowers_of({1, 1});
  borrowers.lend(start, 0, 4);
  const Instant later = start + seconds(10);
  borrowers.set_weight(later, 0, 4);
  CHECK(borrowers.served(later, 0) == doctest::Approx(40e6));
  CHECK(borrowers.served(later + seconds(10), 0) == doctest::Approx(50e6));
}

TEST_CASE("borrowers: a borrower that comes back after wanting nothing has saved no claims [S75]") {
  Borrowers borrowers = borrowers_of({1, 1});
  Instant now = start;
  borrowers.hear(now, 0, 100, 1);
  take_turns(borrowers, now, 100);
  const double before = borrowers.served(now, 0);
  SUBCASE("it waits, by its hint") { borrowers.hear(now, 1, 100, 1); }
  SUBCASE("it was turned away") { borrowers.turn_away(now, 1, 100, 1, seconds(3600)); }
  CHECK(borrowers.served(now, 1) == doctest::Approx(before));
  const auto had = take_turns(borrowers, now, 10);
  CHECK(std::ranges::count(had, std::size_t{1}) == 5);
}

TEST_CASE("borrowers: a borrower that was served more than the others still counts so when it comes back") {
  Borrowers borrowers = borrowers_of({1, 1});
  Instant now = start;
  borrowers.hear(now, 0, 100, 1);
  take_turns(borrowers, now, 10);
  borrowers.hear(now, 0, 0, 0);
  borrowers.hear(now, 1, 100, 1);
  take_turns(borrowers, now, 4);
  borrowers.hear(now, 0, 100, 1);
  CHECK(borrowers.served(now, 0) == doctest::Approx(100e6));
  CHECK(borrowers.served(now, 1) == doctest::Approx(40e6));
  CHECK(first_of(borrowers, now) == 1U);
}

TEST_CASE("borrowers: the first is one that waits and may have nodes, if there is such a borrower") {
  Borrowers borrowers = borrowers_of({1, 1, 1});
  CHECK_FALSE(first_of(borrowers, start).has_value());
  borrowers.hear(start, 1, 4, 2);
  borrowers.hear(start, 2, 4, 4);
  CHECK(first_of(borrowers, start) == 1U);
  CHECK(borrowers.first(start, [](std::size_t i) { return i != 1; }) == 2U);
  borrowers.hear(start, 1, 0, 0);
  CHECK(first_of(borrowers, start) == 2U);
}

TEST_CASE("borrowers: one turned away counts as waiting for a while, or until it gets something") {
  Borrowers borrowers = borrowers_of({1});
  borrowers.turn_away(start, 0, 8, 4, seconds(60));
  const Instant shortly_before = start + seconds(60) - microseconds(1);
  CHECK(borrowers.queued(shortly_before, 0) == 8);
  CHECK(borrowers.width(shortly_before, 0) == 4);
  CHECK_FALSE(borrowers.wants(start + seconds(60), 0));
  SUBCASE("it got something") {
    borrowers.satisfy(0);
    CHECK_FALSE(borrowers.wants(start, 0));
  }
  SUBCASE("its hint speaks of more") {
    borrowers.hear(start, 0, 20, 2);
    CHECK(borrowers.queued(start, 0) == 20);
    CHECK(borrowers.width(start, 0) == 2);
    borrowers.satisfy(0);
    CHECK(borrowers.wants(start, 0));
  }
}

TEST_CASE("borrowers: processors that are lent are counted for each and for all") {
  Borrowers borrowers = borrowers_of({1, 1});
  borrowers.lend(start, 0, 4);
  borrowers.lend(start, 1, 3);
  borrowers.returned(start, 0, 1);
  CHECK(borrowers.processors(0) == 3);
  CHECK(borrowers.processors(1) == 3);
  CHECK(borrowers.processors() == 6);
}

TEST_CASE(
    "borrowers: the second lapsed offer in a row keeps off for 20 s, each further one twice as long [S75a]") {
  Borrowers borrowers = borrowers_of({1, 1});
  Instant now = start;
  borrowers.lapse(now, 0);
  CHECK_FALSE(borrowers.is_kept_off(now, 0));
  for (const std::int64_t off : {20, 40, 80, 160, 320, 600, 600}) {
    CAPTURE(off);
    borrowers.lapse(now, 0);
    CHECK(borrowers.kept_off_until(0) == now + seconds(off));
    CHECK(borrowers.view(now, 0).kept_off == seconds(off));
    CHECK_FALSE(borrowers.is_kept_off(now, 1));
    now = now + seconds(off);
    CHECK_FALSE(borrowers.is_kept_off(now, 0));
  }
}

TEST_CASE("borrowers: a claim makes the next lapse the first again [S75a]") {
  Borrowers borrowers = borrowers_of({1});
  for (int i = 0; i < 3; ++i) borrowers.lapse(start, 0);
  const Instant later = borrowers.kept_off_until(0);
  borrowers.claim(0);
  borrowers.lapse(later, 0);
  CHECK_FALSE(borrowers.is_kept_off(later, 0));
  borrowers.lapse(later, 0);
  CHECK(borrowers.kept_off_until(0) == later + seconds(20));
}

TEST_CASE("borrowers: a longer time of being kept off stays when a shorter one is set") {
  Borrowers borrowers = borrowers_of({1});
  borrowers.keep_off(0, start + seconds(60));
  borrowers.keep_off(0, start + seconds(10));
  CHECK(borrowers.kept_off_until(0) == start + seconds(60));
}

TEST_CASE("borrowers: fair shares go by weight, and no share exceeds what its borrower has and wants") {
  Borrowers borrowers = borrowers_of({1, 2, 3, 1});
  std::vector<std::uint32_t> more_at_most(4, 1000);
  const auto shares_of = [&](double processors) { return borrowers.fair_shares(start, processors, more_at_most); };
  CHECK(shares_of(60) == std::vector<double>{0, 0, 0, 0});
  for (const std::size_t i : {0U, 1U, 2U}) borrowers.hear(start, i, 100, 1);
  CHECK(shares_of(60) == std::vector<double>{10, 20, 30, 0});
  SUBCASE("what a borrower doesn't want goes to the others by weight") {
    borrowers.hear(start, 2, 6, 1);
    CHECK(shares_of(60) == std::vector<double>{18, 36, 6, 0});
  }
  SUBCASE("what is left over by the first may be more than the second wants") {
    borrowers.hear(start, 1, 22, 1);
    borrowers.hear(start, 2, 6, 1);
    CHECK(shares_of(60) == std::vector<double>{32, 22, 6, 0});
  }
  SUBCASE("what a borrower may not have goes to the others") {
    more_at_most = {1000, 5, 6, 1000};
    CHECK(shares_of(60) == std::vector<double>{49, 5, 6, 0});
  }
  SUBCASE("there is more than all want") { CHECK(shares_of(1000) == std::vector<double>{100, 100, 100, 0}); }
  SUBCASE("what a borrower has counts as wanted") {
    borrowers.lend(start, 3, 4);
    CHECK(shares_of(70) == std::vector<double>{11, 22, 33, 4});
  }
}

}  // namespace borrowers_test
