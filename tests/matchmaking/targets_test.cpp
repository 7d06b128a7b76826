// Which neighbour is asked first, and which neighbours aren't worth asking.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "matchmaking/policy.hpp"
#include "matchmaking/targets.hpp"

namespace targets_test {

using namespace dmm;

namespace {

/// Neighbours and their hints, kept together since a view does not own its hint.
struct Neighbours {
  std::vector<CapacityHint> hints;
  std::vector<TargetView> views;

  /// Each list has a neighbour's lendable processors by distance; an empty list is a neighbour that sent no hint yet.
  explicit Neighbours(std::vector<std::vector<std::uint32_t>> lendable) {
    for (const auto& by_distance : lendable) {
      CapacityHint hint;
      for (const std::uint32_t count : by_distance) hint.push_back({count, count * 2});
      hints.push_back(std::move(hint));
    }
    for (std::size_t i = 0; i < hints.size(); ++i) views.push_back({i, hints[i], !hints[i].empty(), 0});
  }
};

std::string order_by(const char* policy, const TargetQuery& query, const std::vector<TargetView>& views) {
  std::vector<std::size_t> order = {77, 78};  // remains of an earlier call
  find_targets(policy)(query, views, order);
  std::string text;
  for (const std::size_t index : order) text += std::to_string(index);
  return text;
}

}  // namespace

TEST_CASE("hints: distance first, then size; unknown before those without room") {
  struct Row {
    std::vector<std::vector<std::uint32_t>> lendable;
    TargetQuery query;
    const char* expected;
  };
  const Row rows[] = {
      {{}, {4, 5, 0}, ""},
      {{{4, 0}, {0, 100}, {100, 0}}, {4, 5, 0}, "201"},
      {{{3, 3}, {}, {0, 4}, {4, 0}}, {4, 5, 0}, "3210"},
      // A site one hop beyond the neighbour is out of reach with one hop left.
      {{{0, 9}, {}, {4, 0}}, {4, 1, 0}, "210"},
      {{{9}, {}, {4}}, {4, 0, 0}, "102"},
      // 100, 90, 80 and 75 are within a quarter of 100; 74 is not. Equal ones stand in configuration order,
      // rotated.
      {{{74}, {75}, {100}, {80}, {90}}, {4, 5, 0}, "12340"},
      {{{74}, {75}, {100}, {80}, {90}}, {4, 5, 1}, "23410"},
      {{{74}, {75}, {100}, {80}, {90}}, {4, 5, 7}, "41230"},
      // Each run begins with its own largest: 40 and 30, then 29 and 22, then 21.
      {{{22}, {21}, {40}, {29}, {30}}, {4, 5, 0}, "24031"},
      {{{22}, {21}, {40}, {29}, {30}}, {4, 5, 1}, "42301"},
      // Sizes are compared only at one distance.
      {{{0, 100}, {0, 100}, {5, 0}, {5, 0}}, {5, 5, 1}, "3210"},
      {{{UINT32_MAX}, {UINT32_MAX / 2}}, {1, 1, 3}, "01"},
  };
  for (const auto& row : rows) {
    const Neighbours neighbours(row.lendable);
    CAPTURE(row.expected);
    CHECK(order_by("hints", row.query, neighbours.views) == row.expected);
  }
}

TEST_CASE("hints: what was asked since the hint counts against the neighbour itself only") {
  Neighbours neighbours({{10, 6}, {8, 0}});
  CHECK(order_by("hints", {5, 5, 0}, neighbours.views) == "01");
  neighbours.views[0].debit = 6;
  CHECK(order_by("hints", {5, 5, 0}, neighbours.views) == "10");
  CHECK(lendable_at(neighbours.views[0], 0) == 4);
  CHECK(lendable_at(neighbours.views[0], 1) == 6);
  neighbours.views[0].debit = 60;
  CHECK(lendable_at(neighbours.views[0], 0) == 0);
}

TEST_CASE("best fit: the least that fits, then unknown, then the rest") {
  const Neighbours neighbours({{3, 50}, {20}, {}, {9}, {20}, {8}});
  CHECK(order_by("best_fit", {8, 5, 3}, neighbours.views) == "531420");
  CHECK(order_by("best_fit", {30, 5, 3}, neighbours.views) == "201345");
}

TEST_CASE("targets: round robin and configured order") {
  const Neighbours neighbours({{3}, {}, {5}});
  CHECK(order_by("configured", {8, 5, 2}, neighbours.views) == "012");
  CHECK(order_by("fcfs", {8, 5, 2}, neighbours.views) == "012");
  CHECK(order_by("round_robin", {8, 5, 0}, neighbours.views) == "012");
  CHECK(order_by("round_robin", {8, 5, 5}, neighbours.views) == "201");
  CHECK(order_by("round_robin", {8, 5, UINT64_MAX}, neighbours.views) == "012");
  CHECK(order_by("round_robin", {8, 5, 1}, {}) == "");
}

TEST_CASE("may_fit: a hint may be a little old") {
  struct Row {
    std::vector<std::uint32_t> lendable;
    std::uint32_t widest, dttl, debit;
    bool expected;
  };
  const Row rows[] = {
      {{}, 100, 5, 0, true},  // no hint yet
      {{8}, 8, 5, 0, true},
      {{7}, 8, 5, 0, true},
      {{6}, 8, 5, 0, false},
      {{8}, 8, 5, 1, true},
      {{8}, 8, 5, 2, false},
      {{0}, 1, 5, 0, false},
      {{0, 7}, 8, 5, 0, true},
      {{0, 7}, 8, 2, 0, true},
      {{0, 7}, 8, 1, 0, false},
      {{0, 7}, 8, 5, 100, true},
      {{8}, 8, 0, 0, false},
      {{UINT32_MAX}, UINT32_MAX, 1, 0, true},
      {{UINT32_MAX / 2}, UINT32_MAX, 1, 0, false},
  };
  for (const auto& row : rows) {
    Neighbours neighbours({row.lendable});
    neighbours.views[0].debit = row.debit;
    CAPTURE(row.widest);
    CAPTURE(row.dttl);
    CHECK(may_fit({row.widest, row.dttl, 0}, neighbours.views[0]) == row.expected);
  }
  TargetView silent;
  silent.known = true;  // an empty hint promises nothing
  CHECK_FALSE(may_fit({1, 5, 0}, silent));
}

TEST_CASE("may_fit: the largest cluster is told exactly, and a neighbour that can never serve isn't asked") {
  const CapacityHint hint{{24, 24, true}, {24, 26, true}};
  const TargetView view{0, hint, true, 0};
  CHECK(may_fit({24, 5, 0}, view));
  CHECK(may_fit({26, 5, 0}, view));  // 24 of 26 may be free
  CHECK_FALSE(may_fit({26, 1, 0}, view));
  CHECK_FALSE(may_fit({27, 5, 0}, view));
  const CapacityHint unsure{{24, 24, false}};
  CHECK(may_fit({26, 5, 0}, TargetView{0, unsure, true, 0}));
}

TEST_CASE("targets: the largest cluster beyond a link") {
  CHECK(largest_beyond({}) == 0);
  CHECK(largest_beyond(CapacityHint{{0, 32}, {5, 64}, {0, 0}}) == 64);
}

TEST_CASE("random neighbours: every order has each once, and the first by hints is as near as can be") {
  for (std::uint32_t seed = 1; seed <= 5000; ++seed) {
    std::mt19937 engine(seed);
    std::vector<std::vector<std::uint32_t>> lendable(engine() % 8);
    for (auto& by_distance : lendable)
      for (auto left = engine() % 4; left > 0; --left)
        by_distance.push_back(static_cast<std::uint32_t>(engine() % 20));
    const Neighbours neighbours(lendable);
    const TargetQuery query{static_cast<std::uint32_t>(1 + engine() % 12),
                            static_cast<std::uint32_t>(engine() % 4), engine()};
    CAPTURE(seed);
    for (const char* policy : {"hints", "best_fit", "round_robin", "configured"}) {
      std::vector<std::size_t> order;
      find_targets(policy)(query, neighbours.views, order);
      std::sort(order.begin(), order.end());
      REQUIRE(order.size() == lendable.size());
      for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == i);
    }
    std::vector<std::size_t> order;
    targets_hints(query, neighbours.views, order);
    for (std::uint32_t distance = 0; distance < query.dttl; ++distance) {
      std::uint32_t largest = 0;
      for (const auto& by_distance : lendable)
        if (distance < by_distance.size()) largest = std::max(largest, by_distance[distance]);
      if (largest < query.widest) continue;
      const auto& first = lendable[order[0]];
      REQUIRE(first.size() > distance);
      REQUIRE(first[distance] >= query.widest);
      REQUIRE(first[distance] * 4 >= largest * 3);
      break;
    }
  }
}

}  // namespace targets_test
