// The load and its threshold, and what may be lent while local users wait.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "matchmaking/load.hpp"

namespace load_test {

using namespace dmm;

TEST_CASE("load: whether it is above the threshold") {
  struct Row {
    Load load;
    double threshold;
    bool expected;
  };
  const Row rows[] = {
      {{0, 0, 100}, 1.0, false},
      {{60, 40, 100}, 1.0, false},  // equal to the threshold isn't above it
      {{60, 41, 100}, 1.0, true},
      {{29, 0, 100}, 0.29, false},  // 0.29 * 100 is just below 29 in binary
      {{30, 0, 100}, 0.29, true},
      {{5, 0, 7}, 0.714285, true},
      {{125, 0, 100}, 1.25, false},
      {{126, 0, 100}, 1.25, true},
      {{0, 0, 100}, 0.0, false},
      {{1, 0, 100}, 0.0, true},
      {{1, 0, 100}, -1.0, true},
      {{0, 0, 0}, 1.0, true},  // nothing owned
      {{10'000'000, 1'000'000'000'000, 10'000'000}, 1000.0, true},
      {{0, 9'999'999'999, 10'000'000}, 1000.0, false},
      {{1, 1, 1}, HUGE_VAL, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.load.used);
    CAPTURE(row.threshold);
    CHECK(over(row.load, row.threshold) == row.expected);
  }
}

TEST_CASE("load: its value is a number") {
  CHECK(value({60, 40, 100}) == doctest::Approx(1.0));
  CHECK(value({78, 0, 100}) == doctest::Approx(0.78));
  CHECK(std::isinf(value({0, 0, 0})));
}

TEST_CASE("lendable: the demand is taken from the clusters with most free") {
  struct Row {
    std::vector<std::uint32_t> free;
    std::uint64_t demand;
    std::vector<std::uint32_t> expected;
  };
  const Row rows[] = {
      {{}, 5, {}},
      {{10, 20, 5}, 0, {10, 20, 5}},
      {{10, 20, 5}, 8, {10, 12, 5}},
      {{10, 20, 5}, 20, {10, 0, 5}},
      {{10, 20, 5}, 25, {5, 0, 5}},
      {{10, 20, 5}, 31, {0, 0, 4}},
      {{10, 20, 5}, 35, {0, 0, 0}},
      {{10, 20, 5}, 1'000'000'000'000, {0, 0, 0}},
      {{10, 10}, 3, {7, 10}},  // of equal ones the earlier one
  };
  for (const auto& row : rows) {
    CAPTURE(row.demand);
    CHECK(lendable(row.free, row.demand) == row.expected);
  }
}

TEST_CASE("random free processors: what is kept is the demand, or all there is") {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937 engine(seed);
    std::vector<std::uint32_t> free(engine() % 6);
    for (auto& count : free) count = static_cast<std::uint32_t>(engine() % 50);
    const std::uint64_t demand = engine() % 200;
    const auto result = lendable(free, demand);
    const auto sum = [](const std::vector<std::uint32_t>& counts) {
      return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    };
    CAPTURE(seed);
    REQUIRE(result.size() == free.size());
    REQUIRE(sum(free) - sum(result) == std::min(demand, sum(free)));
    for (std::size_t i = 0; i < free.size(); ++i) REQUIRE(result[i] <= free[i]);
  }
}

}  // namespace load_test
