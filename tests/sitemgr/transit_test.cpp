// Delegations on their way through a site: accepted once, passed on, answered or withdrawn [S97].
#include "sitemgr/transit.hpp"

#include <doctest/doctest.h>

#include "protocol/hints.hpp"

namespace dmm::transit_test {
namespace {

constexpr Instant now{seconds(1000).microseconds};
constexpr std::size_t from_north = 0, from_west = 1, to_south = 2;
const SiteName self("middle"), north("north"), west("west"), home("home");

SiteSettings settings() {
  SiteSettings settings;
  settings.name = self;
  settings.delegations_per_link_max = 2;
  return settings;
}

Delegate delegate(std::uint64_t job, SiteNames chain = {home, north}) {
  Delegate asked;
  asked.request.id = {home, "alice", job, 1};
  asked.request.need.components.resize(1);
  asked.request.need.components[0].processors = 4;
  asked.round = 1;
  asked.dttl = 4;
  asked.tries_left = 8;
  asked.answer_within = seconds(10);
  asked.chain = std::move(chain);
  return asked;
}

struct Stage {
  SiteSettings site = settings();
  Transit transit{site, 3};

  Transit::Taken take(Delegate asked, std::size_t n = from_north) {
    const SiteName sender = asked.chain.empty() ? SiteName() : asked.chain.back();
    return transit.take(now, n, sender, std::move(asked), site);
  }
  /// Takes a delegation and passes it on to the south.
  Delegate pass_on(std::uint64_t job) {
    CHECK_FALSE(take(delegate(job)).refused);
    std::vector<Foreign> round = transit.next_round();
    REQUIRE(round.size() == 1);
    return transit.pass_on(now, std::move(round[0]), to_south, seconds(1), seconds(9), self, 3);
  }
  Reject reject(std::uint64_t job, std::uint32_t tries_left, std::size_t asked) const {
    Reject answer;
    answer.request = delegate(job).request.id;
    answer.round = 1;
    answer.tries_left = tries_left;
    answer.asked.resize(asked);
    return answer;
  }
  ~Stage() { transit.check_invariants(); }
};

TEST_CASE("transit: a Delegate is taken, or refused with the reason") {
  struct Row {
    const char* name;
    Delegate asked;
    std::optional<RejectReason> reason;
  };
  Delegate wide = delegate(1), far = delegate(1), nameless = delegate(1);
  wide.request.need.components.clear();
  far.dttl = dttl_max + 1;
  nameless.request.id.user = "";
  for (const Row& row : {
           Row{"as it should be", delegate(1), std::nullopt},
           Row{"we are in its chain", delegate(1, {home, self, north}), RejectReason::in_chain},
           Row{"its chain doesn't begin at home", delegate(1, {west, north}), RejectReason::malformed},
           Row{"its chain goes somewhere twice", delegate(1, {home, north, home, north}), RejectReason::malformed},
           Row{"it needs nothing", wide, RejectReason::malformed},
           Row{"it may go too far", far, RejectReason::malformed},
           Row{"it names no user", nameless, RejectReason::malformed},
       }) {
    CAPTURE(row.name);
    Stage stage;
    const Transit::Taken taken = stage.take(row.asked);
    CHECK(taken.refused.has_value() == row.reason.has_value());
    if (row.reason) CHECK(taken.reason == *row.reason);
    CHECK(stage.transit.waiting() == (row.reason ? 0 : 1));
    if (taken.refused) stage.transit.answered(from_north);
  }
}

TEST_CASE("transit: a neighbour has a limited number of delegations open") {
  Stage stage;
  CHECK_FALSE(stage.take(delegate(1)).refused);
  CHECK_FALSE(stage.take(delegate(2)).refused);
  const Transit::Taken third = stage.take(delegate(3));
  REQUIRE(third.refused);
  CHECK(third.reason == RejectReason::delegations_limit);
  stage.transit.answered(from_north);
  CHECK_FALSE(stage.take(delegate(4, {home, west}), from_west).refused);
  CHECK(stage.transit.delegations_received(from_north) == 3);
}

TEST_CASE("transit: a copy of a search that comes another way is refused") {
  Stage stage;
  stage.pass_on(1);
  const Transit::Taken copy = stage.take(delegate(1, {home, west}), from_west);
  REQUIRE(copy.refused);
  CHECK(copy.reason == RejectReason::already_seen);
  CHECK_FALSE(copy.displaced);
  stage.transit.answered(from_west);
}

TEST_CASE("transit: the home site's own word displaces a copy that was passed on for another") {
  Stage stage;
  stage.pass_on(1);
  const Transit::Taken own = stage.take(delegate(1, {home}), from_west);
  REQUIRE(own.displaced);
  CHECK(own.displaced->from == from_north);
  CHECK(own.displaced->target == to_south);
  CHECK_FALSE(own.refused);
  CHECK(stage.transit.waiting() == 1);
  stage.transit.answered(from_north);
}

TEST_CASE("transit: rounds take one delegation of each neighbour, and begin with another each time") {
  Stage stage;
  for (const std::uint64_t job : {1, 2}) {
    stage.take(delegate(job));
    stage.take(delegate(job + 10, {home, west}), from_west);
  }
  std::vector<std::vector<std::size_t>> rounds;
  for (auto round = stage.transit.next_round(); !round.empty(); round = stage.transit.next_round()) {
    auto& links = rounds.emplace_back();
    for (Foreign& foreign : round) {
      links.push_back(foreign.from);
      stage.transit.keep(std::move(foreign));
    }
  }
  CHECK(rounds == std::vector<std::vector<std::size_t>>{{from_north, from_west}, {from_west, from_north}});
  CHECK(stage.transit.has_work());
  CHECK(stage.transit.take_kept().size() == 4);
  CHECK_FALSE(stage.transit.has_work());
  for (int i = 0; i < 2; ++i)
    for (const std::size_t n : {from_north, from_west}) stage.transit.answered(n);
}

TEST_CASE(
    "transit: what is passed on has one hop and one try less, and is waited for as long as the caller says") {
  Stage stage;
  const Delegate next = stage.pass_on(1);
  CHECK(next.dttl == 3);
  CHECK(next.tries_left == 7);
  CHECK(next.answer_within == seconds(9));
  CHECK(next.round_trip == seconds(1));
  CHECK(next.chain == SiteNames{home, north, self});
  CHECK(stage.transit.next_deadline() == now + seconds(9));
}

TEST_CASE("transit: what is passed on has waited for as long as it lay here, too [S76e]") {
  Stage stage;
  Delegate asked = delegate(1);
  asked.request.waited = seconds(7);
  CHECK_FALSE(stage.take(asked).refused);
  std::vector<Foreign> round = stage.transit.next_round();
  REQUIRE(round.size() == 1);
  const Delegate next =
      stage.transit.pass_on(now + seconds(4), std::move(round[0]), to_south, seconds(1), seconds(9), self, 3);
  CHECK(next.request.waited == seconds(11));
}

TEST_CASE("transit: a part goes as far as it must, whatever a round of search may cost here") {
  Stage stage;
  stage.site.tries_per_round = 2;
  Delegate asked = delegate(1);
  asked.part = 1;
  CHECK_FALSE(stage.take(asked).refused);
  std::vector<Foreign> round = stage.transit.next_round();
  REQUIRE(round.size() == 1);
  CHECK(stage.transit.pass_on(now, std::move(round[0]), to_south, {}, seconds(9), self, 3).tries_left == 3);
}

TEST_CASE("transit: a Reject counts once, of the neighbour that was asked, and spends what it names") {
  Stage stage;
  stage.pass_on(1);
  Reject answer = stage.reject(1, 0, 2);
  CHECK_FALSE(stage.transit.rejected(from_west, answer));
  const std::optional<Foreign> back = stage.transit.rejected(to_south, answer);
  REQUIRE(back);
  CHECK(back->tries_left == 5);  // no tries are left, and it names two sites of seven
  CHECK(back->answers.size() == 2);
  CHECK_FALSE(stage.transit.rejected(to_south, answer));
  CHECK(stage.transit.next_deadline() == never);
  stage.transit.answered(from_north);
}

TEST_CASE("transit: a delegation ends by silence, by its sender, or with a session") {
  Stage stage;
  stage.pass_on(1);
  SUBCASE("no answer comes") {
    CHECK_FALSE(stage.transit.take_overdue(now + seconds(9) - microseconds(1)));
    CHECK(stage.transit.take_overdue(now + seconds(9)));
    stage.transit.answered(from_north);
  }
  SUBCASE("its sender withdraws it") {
    const std::optional<Foreign> passed = stage.transit.withdrawn(from_north, {delegate(1).request.id, 0, 1});
    REQUIRE(passed);
    CHECK(passed->target == to_south);
  }
  SUBCASE("another neighbour can't withdraw it") {
    CHECK_FALSE(stage.transit.withdrawn(from_west, {delegate(1).request.id, 0, 1}));
    stage.transit.withdrawn(from_north, {delegate(1).request.id, 0, 1});
  }
  SUBCASE("the link to its target goes down") {
    CHECK(stage.transit.take_passed_to(from_west).empty());
    CHECK(stage.transit.take_passed_to(to_south).size() == 1);
    stage.transit.answered(from_north);
  }
  SUBCASE("the session with its sender is over") {
    stage.take(delegate(2));
    CHECK(stage.transit.lose(from_north).size() == 1);
    CHECK(stage.transit.waiting() == 0);
  }
  CHECK(stage.transit.size() == 0);
  CHECK(stage.transit.next_deadline() == never);
}

TEST_CASE("transit: one that still waits is withdrawn without a word to others") {
  Stage stage;
  stage.take(delegate(1));
  CHECK_FALSE(stage.transit.withdrawn(from_north, {delegate(1).request.id, 0, 1}));
  CHECK(stage.transit.size() == 0);
}

TEST_CASE("transit: what nodes are freed for waits until nodes come, or for so long [S76e]") {
  Stage stage;
  const auto park = [&](std::uint64_t job) {
    CHECK_FALSE(stage.take(delegate(job)).refused);
    std::vector<Foreign> round = stage.transit.next_round();
    REQUIRE(round.size() == 1);
    stage.transit.park(std::move(round[0]), now + seconds(3));
  };
  park(1);
  CHECK_FALSE(stage.transit.has_work());
  CHECK(stage.transit.size() == 1);
  CHECK(stage.transit.next_deadline() == now + seconds(3));
  SUBCASE("nodes come") {
    stage.transit.unpark(1);
    CHECK(stage.transit.waiting() == 1);
    std::vector<Foreign> round = stage.transit.next_round();
    REQUIRE(round.size() == 1);
    stage.transit.park(std::move(round[0]), now + seconds(9));  // too few came
    CHECK(stage.transit.next_deadline() == now + seconds(3));
    stage.transit.unpark(1);
    CHECK(stage.transit.waiting() == 0);
  }
  SUBCASE("none come") {
    stage.transit.end_parking(now + seconds(2));
    CHECK_FALSE(stage.transit.has_work());
    stage.transit.end_parking(now + seconds(3));
    CHECK(stage.transit.take_kept().size() == 1);
    stage.transit.answered(from_north);
  }
  SUBCASE("it is withdrawn") {
    CHECK_FALSE(stage.transit.withdrawn(from_north, {delegate(1).request.id, 0, 1}));
    CHECK(stage.transit.size() == 0);
  }
  SUBCASE("its neighbour restarts") {
    CHECK(stage.transit.lose(from_north).empty());
    CHECK(stage.transit.size() == 0);
  }
}

}  // namespace
}  // namespace dmm::transit_test
