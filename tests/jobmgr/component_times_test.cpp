// Times of components under way, alone: the earliest is found without a walk.
#include "jobmgr/component_times.hpp"

#include <doctest/doctest.h>

namespace dmm::component_times_test {
namespace {

constexpr Instant start{seconds(100).microseconds};

/// Components of jobs 1 and 2, each with the field for its time.
struct Components {
  ComponentTimes times;
  std::map<ComponentKey, Instant> fields;

  void set(ComponentKey key, Instant due) { times.set(fields.try_emplace(key, never).first->second, key, due); }
};

}  // namespace

TEST_CASE("component times: a component's time moves, and goes, with its field") {
  ComponentTimes times;
  Instant first = never, second = never;
  times.set(first, {1, 0}, start + seconds(2));
  times.set(second, {1, 1}, start + seconds(1));
  CHECK(times.due(start + seconds(1)) == ComponentKey{1, 1});
  times.set(second, {1, 1}, start + seconds(4));
  CHECK(second == start + seconds(4));
  CHECK_FALSE(times.due(start + seconds(1)));
  CHECK(times.due(start + seconds(3)) == ComponentKey{1, 0});
  times.set(first, {1, 0}, never);
  CHECK(times.next_deadline() == start + seconds(4));
  times.set(second, {1, 1}, never);
  CHECK(times.size() == 0);
}

TEST_CASE("component times: without a time nothing is due, ever") {
  Components components;
  components.set({1, 0}, never);
  CHECK(components.times.next_deadline() == never);
  CHECK(components.times.size() == 0);
  CHECK(components.times.keys().empty());
  CHECK_FALSE(components.times.due(start));
  CHECK_FALSE(components.times.contains(never, {1, 0}));
}

TEST_CASE("component times: a component is due at its time, not before, and stays due") {
  struct Row {
    Duration after;  ///< the start
    std::optional<ComponentKey> due;
  };
  const Row rows[] = {{seconds(2) - microseconds(1), std::nullopt},
                      {seconds(2), ComponentKey{2, 1}},
                      {seconds(3), ComponentKey{2, 1}},
                      {duration_max, ComponentKey{2, 1}}};
  Components components;
  components.set({1, 0}, start + seconds(3));
  components.set({2, 1}, start + seconds(2));
  for (const Row& row : rows) {
    CAPTURE(row.after.microseconds);
    CHECK(components.times.due(start + row.after) == row.due);
    CHECK(components.times.due(start + row.after) == row.due);
  }
  CHECK(components.times.next_deadline() == start + seconds(2));
}

TEST_CASE("component times: the order is by time, then by job, then by component") {
  Components components;
  components.set({2, 0}, start + seconds(1));
  components.set({1, 1}, start + seconds(1));
  components.set({1, 0}, start + seconds(1));
  components.set({3, 5}, start);
  using Keys = std::vector<ComponentKey>;
  CHECK(components.times.keys() == Keys{{3, 5}, {1, 0}, {1, 1}, {2, 0}});
  components.set({3, 5}, start + seconds(2));
  components.set({1, 0}, start + seconds(1));  // as before
  CHECK(components.times.keys() == Keys{{1, 0}, {1, 1}, {2, 0}, {3, 5}});
  CHECK(components.times.size() == 4);
}

TEST_CASE("component times: times of before a restart count, and none is made of never") {
  ComponentTimes times;
  Instant field = start + seconds(5);
  times.restore(field, {1, 2});
  times.restore(never, {1, 3});
  CHECK(times.size() == 1);
  CHECK(times.contains(start + seconds(5), {1, 2}));
  CHECK_FALSE(times.contains(start + seconds(4), {1, 2}));
  CHECK_FALSE(times.contains(start + seconds(5), {1, 3}));
  times.set(field, {1, 2}, start + seconds(6));
  CHECK_FALSE(times.contains(start + seconds(5), {1, 2}));
  CHECK(times.next_deadline() == start + seconds(6));
}

}  // namespace dmm::component_times_test
