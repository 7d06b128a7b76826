// When both sides of a link compare their leases, and the results [S128].
#include "sitemgr/renewals.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::renewals_test {
namespace {

constexpr Duration term = seconds(30);

struct Stage : PartsStage {
  Renewals& part = parts.renewals;
  Stage() {
    HopLease lease;
    lease.id = {SiteName("north"), {1, 1}};
    lease.upstream = north_place;
    parts.leases.add(std::move(lease));
  }
  bool is_due(Instant at) { return !part.take_due(at, parts.neighbours, parts.leases, term).empty(); }
};

TEST_CASE("renewals: a borrower renews often until both believe the same, then once in twenty terms") {
  Stage stage;
  stage.part.begin(stage.now, north_place);
  CHECK(stage.is_due(stage.now));
  CHECK(stage.part.next_deadline(stage.parts.neighbours, stage.parts.leases) ==
        stage.now);  // to ask what is wanted
  CHECK_FALSE(stage.is_due(stage.now + term / 10 - microseconds(1)));
  CHECK(stage.is_due(stage.now + term / 10));
  stage.part.hear_settled(stage.now, north_place, true, term);
  CHECK_FALSE(stage.is_due(stage.now + term * 20 - microseconds(1)));
  CHECK(stage.is_due(stage.now + term * 20));
  stage.part.hear_settled(stage.now, north_place, false, term);
  CHECK(stage.is_due(stage.now + term / 10));
}

TEST_CASE("renewals: nothing is renewed over a link that is down, or without a lease") {
  Stage stage;
  stage.part.begin(stage.now, north_place);
  stage.part.begin(stage.now, south_place);
  stage.part.wanted_look().due = never;
  SUBCASE("down") { stage.parts.neighbours.set_up(north_place, stage.now, false); }
  SUBCASE("no lease") { stage.parts.leases.erase({SiteName("north"), {1, 1}}); }
  CHECK_FALSE(stage.is_due(stage.now));
  CHECK(stage.part.next_deadline(stage.parts.neighbours, stage.parts.leases) == never);
}

TEST_CASE("renewals: a borrower that renews fewer leases than it was lent has lost some, after a while") {
  Stage stage;
  const auto compare = [&](Instant at, std::uint32_t renewed) {
    return stage.part.compare(at, south_place, renewed, 3, term);
  };
  CHECK(compare(stage.now, 3) == RenewalComparison::agrees);
  CHECK(stage.part.is_settled(south_place));
  CHECK(compare(stage.now, 2) == RenewalComparison::differs);
  CHECK_FALSE(stage.part.is_settled(south_place));
  CHECK(compare(stage.now + term - microseconds(1), 2) == RenewalComparison::differs);
  SUBCASE("it still does") {
    CHECK(compare(stage.now + term, 2) == RenewalComparison::has_lost);
    CHECK(compare(stage.now + term, 2) == RenewalComparison::differs);  // the new session is on its way
  }
  SUBCASE("what it lacked has come") {
    CHECK(compare(stage.now + term, 4) == RenewalComparison::agrees);
    CHECK(compare(stage.now + term, 2) == RenewalComparison::differs);
  }
  SUBCASE("a session is new") {
    stage.part.begin(stage.now + term, south_place);
    CHECK(stage.part.is_settled(south_place));
  }
}

}  // namespace
}  // namespace dmm::renewals_test
