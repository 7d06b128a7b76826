// Windows and backoffs of neighbours, and which neighbour is asked next [S110].
#include "sitemgr/targets.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace dmm::targets_test {
namespace {

constexpr Instant now{seconds(1000).microseconds};
constexpr std::size_t first = 0, second = 1;

/// A site with two neighbours; each says that it has 100 processors free.
struct Stage {
  SiteSettings settings;
  Placer placer;
  OwnedNodes owned{SiteName("home"), {}};
  Neighbours neighbours{{}};
  Feasibility feasibility{2};
  Targets targets{find_targets("hints"), 2, 4};
  ResourceNeed need;
  std::vector<bool> asked;

  Stage() {
    for (const char* name : {"first", "second"}) {
      NeighbourSettings neighbour;
      neighbour.site = SiteName(name);
      const std::size_t n = neighbours.add(neighbour);
      neighbours.set_up(n, now, true);
      neighbours.hear(n, {HintEntry{100, 100}});
    }
  }
  Choice choose(std::size_t& target, std::uint32_t widest = 10, Instant at = now,
                const SiteNames* chain = nullptr) {
    const SearchQuery query{{}, &need, widest, 5, {}, &asked, chain};
    return targets.choose(at, query, {settings, owned, neighbours, placer}, feasibility, target);
  }
  /// The neighbours that may be asked, as a set of bits.
  unsigned choices(Instant at = now) {
    unsigned bits = 0;
    asked.assign(2, false);
    std::size_t target = 0;
    while (choose(target, 10, at) == Choice::found) {
      bits |= 1U << target;
      asked[target] = true;
    }
    asked.clear();
    return bits;
  }
};

TEST_CASE("targets: a neighbour is asked unless something stands against it") {
  Stage stage;
  CHECK(stage.choices() == 3);
  SUBCASE("its link is down") {
    stage.neighbours.set_up(first, now, false);
    CHECK(stage.choices() == 2);
  }
  SUBCASE("much waits for it") {
    stage.targets.set_pressed(first, true);
    CHECK(stage.choices() == 2);
    stage.targets.went_down(first);
    CHECK(stage.choices() == 3);
  }
  SUBCASE("the request passed it") {
    const SiteNames chain{SiteName("second")};
    std::size_t target = 0;
    CHECK(stage.choose(target, 10, now, &chain) == Choice::found);
    CHECK(target == first);
  }
  SUBCASE("its hint promises too little") {
    stage.neighbours.hear(first, {HintEntry{5, 100}});
    CHECK(stage.choices() == 2);
  }
  SUBCASE("what it promised is asked of it already") {
    stage.targets.sent(first, 95);
    CHECK(stage.choices() == 2);
    stage.targets.back(first, 95);
    CHECK(stage.choices() == 3);
  }
}

TEST_CASE("targets: no neighbour is none, a full window is another thing") {
  Stage stage;
  std::size_t target = 0;
  CHECK(stage.choose(target, 200) == Choice::none);
  for (const std::size_t n : {first, second})
    for (int i = 0; i < 4; ++i) stage.targets.sent(n, 1);
  CHECK(stage.choose(target, 10) == Choice::window_full);
}

TEST_CASE("targets: parts of one request go out together beyond a small window [S76b]") {
  Stage stage;
  for (int i = 0; i < 3; ++i) stage.targets.full(first);
  REQUIRE(stage.targets.of(first).window == 1);
  for (int i = 0; i < 3; ++i) stage.targets.sent(first, 4, Targets::Of::part);
  CHECK(stage.targets.of(first).outstanding == 3);
  CHECK(stage.targets.of(first).debit == 12);
  for (int i = 0; i < 3; ++i) stage.targets.back(first, 4);
  CHECK(stage.targets.of(first).outstanding == 0);
}

TEST_CASE("targets: a Grant opens the window by one, lack of capacity halves it") {
  Stage stage;
  stage.targets.granted(first, 5);
  CHECK(stage.targets.of(first).window == 5);
  stage.targets.granted(first, 5);
  CHECK(stage.targets.of(first).window == 5);
  for (const std::uint32_t window : {2U, 1U, 1U}) {
    stage.targets.full(first);
    CHECK(stage.targets.of(first).window == window);
  }
  CHECK(stage.targets.of(second).window == 4);
}

TEST_CASE(
    "targets: a neighbour with worthless Grants is left alone for longer each time, until one serves a job") {
  Stage stage;
  for (const Duration alone : {seconds(10), seconds(20), seconds(40), seconds(80)}) {
    stage.targets.answered(first);  // as it does with each of these Grants
    stage.targets.worthless(now, first);
    CHECK(stage.targets.next_deadline() == now + alone);
  }
  CHECK(stage.choices() == 2);
  SUBCASE("it answers another delegation, or its link comes up again") {
    stage.targets.answered(first);
    stage.targets.came_up(first);
    CHECK(stage.choices() == 2);
  }
  SUBCASE("the time is over") {
    stage.targets.end_backoffs(now + seconds(80));
    CHECK(stage.choices(now + seconds(80)) == 3);
    stage.targets.worthless(now, first);
    CHECK(stage.targets.next_deadline() == now + seconds(160));
  }
  SUBCASE("a job was served") {
    const std::uint64_t seen = stage.targets.openings();
    stage.targets.served(first);
    CHECK(stage.targets.openings() > seen);
    CHECK(stage.choices() == 3);
    stage.targets.worthless(now, first);
    CHECK(stage.targets.next_deadline() == now + seconds(10));
  }
}

TEST_CASE("targets: a silent neighbour is left alone for longer each time, until it answers") {
  Stage stage;
  stage.targets.silent(now, first);  // one answer may be lost on its way
  CHECK(stage.choices() == 3);
  CHECK(stage.targets.next_deadline() == never);
  Duration last;
  for (const Duration alone : {seconds(20), seconds(40), seconds(80), seconds(160), seconds(300), seconds(300)}) {
    stage.targets.silent(now, first);
    CHECK(stage.targets.next_deadline() == now + alone);
    last = alone;
  }
  CHECK(stage.choices(now + last - microseconds(1)) == 2);
  std::uint64_t seen = stage.targets.openings();
  const auto opens = [&](Instant at) {
    stage.targets.end_backoffs(at);
    return std::exchange(seen, stage.targets.openings()) != seen;
  };
  CHECK_FALSE(opens(now + last - microseconds(1)));
  SUBCASE("the backoff is over, which counts once") {
    CHECK(opens(now + last));
    CHECK_FALSE(opens(now + last));
    CHECK(stage.choices(now + last) == 3);
  }
  SUBCASE("it answers") {
    stage.targets.answered(first);
    CHECK(stage.choices() == 3);
    stage.targets.silent(now, first);
    CHECK(stage.targets.next_deadline() == never);
  }
  SUBCASE("its link came up again") {
    stage.targets.came_up(first);
    CHECK(stage.choices() == 3);
  }
}

}  // namespace
}  // namespace dmm::targets_test
