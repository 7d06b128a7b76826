// What is new for a neighbour, and when it is told [S112].
#include "sitemgr/hint_board.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::hint_board_test {
namespace {

struct Stage : PartsStage {
  HintBoard& part = parts.hints;
  HintBoard::Sources sources;
  /// The free nodes change.
  void change() { ++sources.owned; }
  Stage() { parts.settings.hint_distance = 2; }
  /// A round at this time with the site's own entry; returns what is sent to the north by itself.
  std::optional<CapacityHint> round(Instant at, const HintEntry& own, Instant kept_off_until = {}) {
    if (!part.begin_round(at, sources, parts.neighbours, parts.settings.hint_interval)) return std::nullopt;
    return part.look(at, north_place, own, kept_off_until, parts.neighbours, parts.settings);
  }
};

const HintEntry idle{8, 8, true};

TEST_CASE("hint board: a neighbour is told at once the first time, then what is big news") {
  Stage stage;
  const auto first = stage.round(stage.now, idle);
  REQUIRE(first);
  CHECK(first->front() == idle);
  CHECK(stage.part.told(north_place) == *first);
  CHECK_FALSE(stage.round(stage.now + seconds(1), idle));
  struct Row {
    const char* name;
    HintEntry own;
    Duration within;  ///< how soon it is told by itself
  };
  for (const Row& row : {
           Row{"less is free", {7, 8, true}, seconds(60)},
           Row{"users begin to wait", {8, 8, true, 4, 4}, {}},
           Row{"the largest cluster is another", {8, 9, true}, {}},
           Row{"a size is unknown", {8, 8, false}, {}},
       }) {
    CAPTURE(row.name);
    Stage other;
    other.round(other.now, idle);
    other.change();
    const Instant at = other.now + seconds(1);
    CHECK(other.round(at, row.own).has_value() == (row.within == Duration{}));
    if (row.within == Duration{}) continue;
    CHECK(other.part.next_deadline() == other.now + row.within);
    CHECK(other.round(other.part.next_deadline(), row.own));
  }
}

TEST_CASE("hint board: news of room is big where users wait, and much more than there was anywhere") {
  Stage stage;
  stage.round(stage.now, {0, 800, true});
  const Instant at = stage.now + seconds(1);
  SUBCASE("users wait at the neighbour for four processors") {
    stage.parts.neighbours.hear(north_place, {HintEntry{0, 8, true, 4, 4}});
    stage.change();
    CHECK(stage.round(at, {4, 800, true}));
  }
  SUBCASE("no user waits") {
    stage.change();
    CHECK_FALSE(stage.round(at, {4, 800, true}));
    stage.change();
    CHECK(stage.round(at + seconds(1), {100, 800, true}));
  }
}

TEST_CASE("hint board: a burst of changes is one look") {
  Stage stage;
  stage.round(stage.now, idle);
  stage.change();
  const Duration interval = stage.parts.settings.hint_interval;
  const auto begins = [&](Instant at) {
    return stage.part.begin_round(at, stage.sources, stage.parts.neighbours, interval);
  };
  CHECK_FALSE(begins(stage.now + interval - microseconds(1)));
  CHECK(stage.part.next_deadline() == stage.now + interval);
  CHECK(begins(stage.now + interval));
}

TEST_CASE("hint board: a message takes along what the neighbour wasn't told") {
  Stage stage;
  CHECK(stage.part.has_news(stage.sources));
  CHECK_FALSE(stage.part.take_along(stage.now, north_place, idle, stage.parts.neighbours, 2).empty());
  CHECK(stage.part.take_along(stage.now, north_place, idle, stage.parts.neighbours, 2).empty());
  CHECK_FALSE(stage.part.take_along(stage.now, south_place, idle, stage.parts.neighbours, 2).empty());
  stage.part.came_up(north_place);
  CHECK_FALSE(stage.part.take_along(stage.now, north_place, idle, stage.parts.neighbours, 2).empty());
}

TEST_CASE("hint board: a borrower that is lent nothing for a while is looked at when that is over") {
  Stage stage;
  stage.round(stage.now, idle, stage.now + seconds(5));
  CHECK(stage.part.next_deadline() == stage.now + seconds(5));
}

TEST_CASE("hint board: demand is a change where it differs") {
  Stage stage;
  stage.round(stage.now, idle);
  CHECK_FALSE(stage.part.has_news(stage.sources));
  stage.part.set_demand({});
  CHECK_FALSE(stage.part.has_news(stage.sources));
  stage.part.set_demand({8, 2});
  CHECK(stage.part.has_news(stage.sources));
  CHECK(stage.part.demand().width == 2);
}

}  // namespace
}  // namespace dmm::hint_board_test
