// The conclusions from the two inventories of a link, holding by holding [S137].
#include "sitemgr/reconciliation.hpp"

#include <doctest/doctest.h>

namespace dmm::reconciliation_test {
namespace {

constexpr Instant later{seconds(100).microseconds};
const SiteName north("north"), self("middle"), south("south"), west("west");
constexpr std::size_t to_north = 0, to_south = 1;

Neighbours neighbours() {
  std::vector<NeighbourSettings> settings(2);
  settings[to_north].site = north;
  settings[to_south].site = south;
  return Neighbours(settings);
}

LeaseId lease_of(const SiteName& owner, std::uint64_t counter) { return {owner, {1, counter}}; }

Holding holding(const SiteName& owner, SiteNames chain, std::uint64_t counter = 1) {
  Holding held;
  held.lease = lease_of(owner, counter);
  held.chain = std::move(chain);
  held.left = seconds(30);
  return held;
}

/// This site's record of north's lease that is on its way to south.
HopLease passed_on() {
  HopLease lease;
  lease.id = lease_of(north, 1);
  lease.upstream = to_north;
  lease.downstream = to_south;
  lease.nodes.resize(1);
  return lease;
}

/// A comparison that both neighbours have opened: both inventories are awaited.
struct Stage {
  Neighbours sites = neighbours();
  Reconciliation part{self, 2};
  Adoption adoption;  ///< of the last lease that a lender named
  Stage() {
    part.begin(to_north, {});
    part.begin(to_south, {});
  }
  void hear(std::size_t n) {
    Inventory all;
    all.last = true;
    CHECK(part.hear(n, all).has_value());
  }
  HeldByBorrower borrowed(const Holding& held, const HopLease* ours = nullptr) {
    return part.on_borrowed(to_south, held, ours, sites, later);
  }
  std::optional<std::size_t> adopts(const Holding& lent, const HopLease* ours = nullptr) {
    adoption = {SIZE_MAX, false};
    const LentToUs what = part.on_lent(to_north, lent, ours, sites, adoption);
    return what == LentToUs::adopt ? std::optional(adoption.downstream) : std::nullopt;
  }
};

const SiteNames through_us{north, self, south};

TEST_CASE("reconciliation: a borrower's holding is recorded, an orphan or unknown") {
  struct Row {
    const char* name;
    Holding held;
    bool has_record;
    HeldByBorrower what;
  };
  for (const Row& row : {
           Row{"our record has it", holding(north, through_us), true, HeldByBorrower::recorded},
           Row{"its lender is yet to tell", holding(north, through_us), false, HeldByBorrower::orphan},
           Row{"we own it, and lack it", holding(self, {self, south}), false, HeldByBorrower::unknown},
           Row{"we are its sink", holding(north, {north, self}), false, HeldByBorrower::unknown},
           Row{"we are not in its chain", holding(north, {north, south}), false, HeldByBorrower::unknown},
           Row{"it came from no neighbour", holding(west, {west, self, south}), false, HeldByBorrower::unknown},
           Row{"it went to another", holding(north, {north, self, west}), false, HeldByBorrower::unknown},
       }) {
    CAPTURE(row.name);
    Stage stage;
    const HopLease record = passed_on();
    CHECK(stage.borrowed(row.held, row.has_record ? &record : nullptr) == row.what);
    CHECK(stage.part.next_deadline() == (row.what == HeldByBorrower::orphan ? later : never));
  }
}

TEST_CASE("reconciliation: a lease that was over before the session began is no orphan") {
  Stage stage;
  stage.part.begin(to_south, {lease_of(north, 1)});
  CHECK(stage.borrowed(holding(north, through_us)) == HeldByBorrower::unknown);
}

TEST_CASE("reconciliation: after its lender told, a lease that it didn't name is no orphan") {
  Stage stage;
  stage.hear(to_north);
  CHECK(stage.borrowed(holding(north, through_us)) == HeldByBorrower::unknown);
}

TEST_CASE("reconciliation: a lost hop is adopted again, whichever side tells first") {
  Stage stage;
  const Holding lease = holding(north, through_us);
  SUBCASE("the borrower first") {
    stage.hear(to_south);
    CHECK(stage.borrowed(lease) == HeldByBorrower::orphan);
    CHECK(stage.adopts(lease) == to_south);
    CHECK(stage.part.next_deadline() == never);
    stage.part.adopted(to_south, lease.lease);
    CHECK(stage.part.not_held(to_south).empty());
  }
  SUBCASE("the lender first, and the borrower holds it") {
    CHECK(stage.adopts(lease) == to_south);
    stage.part.adopted(to_south, lease.lease);
    const HopLease record = passed_on();
    CHECK(stage.borrowed(lease, &record) == HeldByBorrower::recorded);
    CHECK(stage.part.not_held(to_south).empty());
  }
  SUBCASE("the lender first, and the borrower holds it no more") {
    CHECK(stage.adopts(lease) == to_south);
    stage.part.adopted(to_south, lease.lease);
    CHECK(stage.part.not_held(to_south) == std::vector{lease.lease});
  }
  SUBCASE("the borrower told before, and didn't name it") {
    stage.hear(to_south);
    CHECK_FALSE(stage.adopts(lease));
  }
}

TEST_CASE("reconciliation: an adopted lease is claimed if the borrower knows of the claim") {
  for (const bool is_claimed : {true, false}) {
    Stage stage;
    Holding lease = holding(north, through_us);
    lease.offered = !is_claimed;
    stage.hear(to_south);
    CHECK(stage.borrowed(lease) == HeldByBorrower::orphan);
    CHECK(stage.adopts(lease) == to_south);
    CHECK(stage.adoption.is_claimed == is_claimed);
  }
}

TEST_CASE("reconciliation: a lender's holding goes back where no use of it is known") {
  struct Row {
    const char* name;
    Holding lent;
  };
  for (const Row& row : {
           Row{"we are its sink, and have no user for it", holding(north, {north, self})},
           Row{"our own lease", holding(self, {self, south})},
           Row{"back to where it came from", holding(north, {south, self, north})},
           Row{"to a site that is no neighbour", holding(north, {north, self, west})},
           Row{"we are not in its chain", holding(north, {north, south})},
       }) {
    CAPTURE(row.name);
    Stage stage;
    CHECK_FALSE(stage.adopts(row.lent));
  }
}

TEST_CASE("reconciliation: what a borrower was lent and doesn't name is unvouched after a while") {
  Stage stage;
  const LeaseId named = lease_of(self, 1), left_out = lease_of(self, 2), younger = lease_of(self, 3);
  stage.part.begin(to_south, {named, left_out});
  Holding held;
  held.lease = named;
  stage.part.note_unnamed(to_south, {held}, {named, left_out, younger}, later);
  CHECK(stage.part.next_deadline() == later);
  SUBCASE("it speaks of it in time") {
    stage.part.named(to_south, left_out);
    CHECK(stage.part.take_overdue(later).empty());
  }
  SUBCASE("it doesn't") {
    CHECK(stage.part.take_overdue(later - microseconds(1)).empty());
    const std::vector<Unvouched> overdue = stage.part.take_overdue(later);
    REQUIRE(overdue.size() == 1);
    CHECK(overdue[0].neighbour == to_south);
    CHECK(overdue[0].lease == left_out);
    CHECK_FALSE(overdue[0].is_orphan);
    CHECK(stage.part.next_deadline() == never);
  }
}

TEST_CASE("reconciliation: an orphan that no lender spoke of is overdue, or given back") {
  Stage stage;
  const Holding lease = holding(north, through_us);
  CHECK(stage.borrowed(lease) == HeldByBorrower::orphan);
  SUBCASE("overdue") {
    const std::vector<Unvouched> overdue = stage.part.take_overdue(later);
    REQUIRE(overdue.size() == 1);
    CHECK(overdue[0].is_orphan);
  }
  SUBCASE("given back") {
    CHECK(stage.part.gave_back_orphan(to_south, lease.lease));
    CHECK_FALSE(stage.part.gave_back_orphan(to_south, lease.lease));
    CHECK(stage.part.take_overdue(later).empty());
  }
}

TEST_CASE("reconciliation: a job manager's inventory is compared with what it held when its session began") {
  Reconciliation part{self, 0};
  const Party alice = job_manager_of(self, "alice");
  const Reconciliation::Holds holds{{lease_of(self, 1), RequestId{self, "alice", 7, 1}}};
  CHECK_FALSE(part.is_awaited(alice));
  part.begin(alice, holds);
  CHECK(part.is_awaited(alice));
  CHECK(part.concerns(alice));
  Inventory some, rest;
  some.last = false;
  rest.last = true;
  CHECK_FALSE(part.hear(alice, some).has_value());
  const auto whole = part.hear(alice, rest);
  REQUIRE(whole.has_value());
  CHECK(whole->second == holds);
  CHECK_FALSE(part.is_awaited(alice));
  part.begin(alice, {});
  CHECK_FALSE(part.concerns(alice));
  part.forget(alice);
  CHECK_FALSE(part.is_awaited(alice));
}

}  // namespace
}  // namespace dmm::reconciliation_test
