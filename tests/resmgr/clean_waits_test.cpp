// Answers to Unassign wait until nodes are clean.
#include "resmgr/clean_waits.hpp"

#include <doctest/doctest.h>

namespace dmm::clean_waits_test {
namespace {

const LeaseId lease{SiteName("das"), {1, 7}};

TaskId task(std::uint64_t job) { return {{SiteName("das"), "u", job, 1}, 0}; }

}  // namespace

TEST_CASE("clean waits: an answer goes when the last of its tasks has ended") {
  CleanWaits waits;
  const std::uint64_t first = waits.add(lease, {{0, 1}}, 2), second = waits.add(lease, {{2, 2}}, 1);
  CHECK(first != second);
  CHECK_FALSE(waits.count_down(first));
  waits.check({{first, 1}, {second, 1}});
  const auto clean = waits.count_down(second);
  REQUIRE(clean);
  CHECK(clean->nodes == NodeSet{{2, 2}});
  CHECK(waits.count_down(first)->nodes == NodeSet{{0, 1}});
  waits.check({});
}

TEST_CASE("clean waits: a stray may be anywhere, so every answer waits for all of them") {
  CleanWaits waits;
  waits.add_stray(task(1));
  waits.add_stray(task(2));
  const std::uint64_t busy = waits.add(lease, {{0, 0}}, 1), idle = waits.add(lease, {{1, 1}}, 0);
  CHECK_FALSE(waits.count_down(busy));  // that node's own task has ended
  CHECK(waits.end_stray(task(1)).empty());
  CHECK(waits.is_stray(task(2)));
  CHECK(waits.end_stray(task(2)) == std::vector{busy, idle});
  CHECK_FALSE(waits.has_strays());
  CHECK(waits.count_down(busy));
  CHECK(waits.count_down(idle));
  CHECK(waits.end_stray(task(2)).empty());
}

}  // namespace dmm::clean_waits_test
