// What a site knows about clusters of other sites, and what it tells about them.
#include "sitemgr/cluster_board.hpp"

#include <doctest/doctest.h>

#include <array>

#include "protocol/hints.hpp"

namespace cluster_board_test {

using namespace dmm;

namespace {

constexpr std::size_t north = 0, south = 1;
const SiteName self("self");
constexpr Instant start{1'000'000'000};

ClusterReport report(const char* site, std::uint32_t idle, std::uint32_t hops = 0, Duration round_trip = {}) {
  ClusterReport made;
  made.site = SiteName(site);
  made.cluster = ClusterName("c");
  made.idle = idle;
  made.total = 64;
  made.hops = hops;
  made.round_trip = round_trip;
  return made;
}

struct Stage {
  ClusterBoard board{2};
  std::array<std::uint64_t, 2> bandwidth{};
  void hear(std::size_t n, std::vector<ClusterReport> reports, Instant at = start) {
    board.hear(at, n, {std::move(reports)}, {milliseconds(20), bandwidth[n]}, self);
  }
  std::vector<std::uint32_t> idle(std::uint32_t hops = 16, Instant at = start) {
    std::vector<std::uint32_t> all;
    for (const ClusterBoard::Known& known : board.within(at, hops)) all.push_back(known.report.idle);
    return all;
  }
};

}  // namespace

TEST_CASE("cluster board: a cluster is known once, by its shortest way [S76b]") {
  Stage stage;
  stage.hear(north, {report("far", 5, 1)});
  stage.hear(south, {report("far", 7, 0)});
  REQUIRE(stage.idle() == std::vector<std::uint32_t>{7});
  CHECK(stage.board.next_hop(start, SiteName("far")) == south);
  CHECK(stage.board.within(start, 16)[0].report.hops == 1);
  CHECK(stage.board.within(start, 16)[0].report.round_trip == milliseconds(20));
  CHECK_FALSE(stage.board.next_hop(start, SiteName("other")).has_value());
}

TEST_CASE("cluster board: the nearest clusters come first, those farther than a request may travel are left out") {
  Stage stage;
  stage.hear(north, {report("b", 2, 1), report("a", 1, 0), report("c", 3, 2)});
  CHECK(stage.idle(1) == std::vector<std::uint32_t>{1});
  CHECK(stage.idle(3) == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("cluster board: a report that is impossible, too old or of this site itself is ignored [S98d]") {
  Stage stage;
  ClusterReport too_idle = report("a", 65), nowhere = report("", 1), too_far = report("b", 1, dttl_max);
  stage.hear(north, {too_idle, nowhere, too_far, report("self", 4)});
  CHECK(stage.idle().empty());
  ClusterReport old = report("c", 4);
  old.age = seconds(60);
  stage.hear(north, {old});
  CHECK(stage.idle().size() == 1);
  CHECK(stage.idle(16, start + seconds(11)).empty());
}

TEST_CASE("cluster board: a neighbour's new reports replace its earlier ones, and 64 at most are kept [S98d]") {
  Stage stage;
  stage.hear(north, {report("a", 1)});
  std::vector<ClusterReport> many;
  for (int i = 0; i < 100; ++i) many.push_back(report(("s" + std::to_string(i)).c_str(), 1));
  stage.hear(north, many);
  CHECK(stage.idle().size() == clusters_told_max);
  stage.board.forget(north);
  CHECK(stage.idle().empty());
}

TEST_CASE("cluster board: a neighbour isn't told its own reports, and others' a hop farther and older [S98c]") {
  Stage stage;
  stage.hear(north, {report("a", 1)});
  stage.hear(south, {report("b", 2, 1)});
  const auto told = stage.board.reports_for(start + seconds(1), north, 5);
  REQUIRE(told.size() == 1);
  CHECK(told[0].site == SiteName("b"));
  CHECK(told[0].hops == 2);
  CHECK(told[0].age == seconds(1) + milliseconds(10));
  CHECK(stage.board.reports_for(start, south, 1).empty());  // a is one hop from us, so two from the neighbour
  CHECK(stage.board.reports_for(start, south, 2).size() == 1);
}

TEST_CASE(
    "cluster board: of clusters at equal distance the one that a megabyte reaches sooner comes first [S76b]") {
  Stage stage;
  stage.bandwidth = {1'000'000, 100'000'000};
  stage.hear(north, {report("slow", 1), report("beyond", 3, 1)});
  stage.hear(south, {report("fast", 2, 0, milliseconds(30))});
  CHECK(stage.idle() == std::vector<std::uint32_t>{2, 1, 3});  // 60 ms against 1.02 s
  const auto known = stage.board.within(start, 16);
  CHECK(known[0].report.bandwidth == 100'000'000);
  CHECK(known[2].report.bandwidth == 0);  // the neighbour doesn't know the rest of the way
  CHECK(stage.board.reports_for(start, north, 5)[0].bandwidth == 100'000'000);
}

TEST_CASE("cluster board: a way is as fast as its slowest link [S98c]") {
  Stage stage;
  stage.bandwidth = {50, 50};
  ClusterReport slower = report("slower", 1, 1), faster = report("faster", 2, 1);
  slower.bandwidth = 20;
  faster.bandwidth = 70;
  stage.hear(north, {slower, faster});
  for (const auto& known : stage.board.within(start, 16))
    CHECK(known.report.bandwidth == (known.report.site == SiteName("slower") ? 20 : 50));
}

TEST_CASE("cluster board: nodes asked for, or refused by a site, count as free only after the next report") {
  Stage stage;
  stage.hear(north, {report("a", 6), report("b", 8)});
  stage.board.take(SiteName("a"), ClusterName("c"), 4);
  CHECK(stage.idle() == std::vector<std::uint32_t>{2, 8});
  stage.board.turned_away(SiteName("b"), RejectReason::drained);
  CHECK(stage.idle() == std::vector<std::uint32_t>{2, 0});
  CHECK(stage.board.within(start, 16)[1].report.why_none == RejectReason::drained);
  stage.hear(north, {report("a", 6), report("b", 8)});
  CHECK(stage.idle() == std::vector<std::uint32_t>{6, 8});
}

TEST_CASE("cluster board: a neighbour that says nothing new is asked more seldom, and soon after news [S76a]") {
  Stage stage;
  Instant now = start;
  const auto ask = [&](std::uint32_t idle) {  // returns when it may be asked again
    CHECK(stage.board.is_due(now, north, 4));
    stage.board.asked(now, north, 4);
    stage.hear(north, {report("a", idle)}, now);
    const Instant asked = now;
    while (!stage.board.is_due(now, north, 4)) now = now + milliseconds(100);
    return now - asked;
  };
  CHECK(ask(5) == milliseconds(500));
  CHECK(ask(5) == seconds(1));
  stage.hear(north, {report("a", 5)}, now - milliseconds(100));  // one more answer to the same question
  CHECK(ask(5) == seconds(2));
  CHECK(ask(5) == seconds(4));
  CHECK(ask(5) == seconds(4));
  CHECK(ask(6) == milliseconds(500));
  SUBCASE("it may be asked for farther clusters at once") {
    CHECK(ask(6) == seconds(1));
    stage.board.asked(now, north, 4);
    CHECK(stage.board.is_due(now, north, 5));
  }
  SUBCASE("its hint says news") {
    CHECK(ask(6) == seconds(1));
    stage.board.asked(now, north, 4);
    stage.board.expect_news(north);
    CHECK_FALSE(stage.board.is_due(now + milliseconds(499), north, 4));
    CHECK(stage.board.is_due(now + milliseconds(500), north, 4));
  }
  SUBCASE("nodes there were asked for, or a part was turned away") {
    CHECK(ask(6) == seconds(1));
    CHECK(ask(6) == seconds(2));
    SUBCASE("asked for") { stage.board.take(SiteName("a"), ClusterName("c"), 1); }
    SUBCASE("turned away") { stage.board.turned_away(SiteName("a"), RejectReason::no_capacity); }
    CHECK(ask(6) == milliseconds(500));
  }
}

TEST_CASE("cluster board: a neighbour is told again when all others that were asked in turn answered [S76a]") {
  Stage stage;
  const std::vector<std::size_t> both{north, south};
  stage.board.owe(north, 3, both);
  CHECK(stage.board.take_owed(both).empty());  // no other neighbour was asked: there is nothing more to tell
  stage.board.asked(start, south, 2);
  stage.board.owe(north, 3, both);
  CHECK(stage.board.take_owed(both).empty());
  stage.hear(south, {report("b", 2)}, start + seconds(1));
  for (int i = 0; i < 2; ++i) CHECK(stage.board.take_owed(both) == std::vector{std::pair(north, 3U)});
  CHECK(stage.board.take_owed(both).empty());
}

TEST_CASE("cluster board: a neighbour is asked twice a second at most, but at once for more hops [S76a]") {
  ClusterBoard board(1);
  CHECK(board.is_due(start, 0, 2));
  board.asked(start, 0, 2);
  CHECK_FALSE(board.is_due(start + milliseconds(499), 0, 2));
  CHECK(board.is_due(start + milliseconds(499), 0, 3));
  CHECK(board.is_due(start + milliseconds(500), 0, 1));
}

TEST_CASE("cluster board: a neighbour is asked for as many hops as any request wanted in the last 30 s [S76a]") {
  ClusterBoard board(1);
  CHECK(board.asked(start, 0, 5) == 5);
  CHECK(board.asked(start + seconds(1), 0, 2) == 5);
  CHECK(board.asked(start + seconds(30), 0, 2) == 5);
  CHECK(board.asked(start + seconds(31), 0, 2) == 2);
  CHECK(board.asked(start + seconds(32), 0, 7) == 7);
}

TEST_CASE(
    "cluster board: reports are fresh when each neighbour answered its last question, or ran out of time [S76a]") {
  Stage stage;
  CHECK_FALSE(stage.board.is_fresh(start, {north}, seconds(1)));
  stage.board.asked(start, north, 1);
  stage.board.asked(start, south, 1);
  stage.hear(north, {});
  CHECK(stage.board.is_fresh(start, {north}, seconds(1)));
  CHECK_FALSE(stage.board.is_fresh(start, {north, south}, seconds(1)));
  CHECK(stage.board.is_fresh(start + seconds(1), {north, south}, seconds(1)));
}

}  // namespace cluster_board_test
